import { describe, expect, it } from 'vitest';
import { decideNextStep, type SessionView } from './next-action.ts';
import { EXIT_REASONS } from './session-machine.ts';

const T0 = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(T0.getTime() + seconds * 1_000);
const IDLE_MS = 600_000;
const nothing = {
  unread: false,
  held: false,
  openCard: false,
  liveConversation: false,
  unacknowledgedEnd: false,
};
const active: SessionView = {
  state: 'active',
  end: null,
  lastActivityAt: T0,
  work: nothing,
  heldAgain: false,
  tokenLimit: null,
  withheldIn: null,
  resolvedCard: null,
  hasTask: false,
  usesReceipts: false,
  taskToTell: null,
  conversationDue: false,
  notice: null,
};
const inherited = { kind: 'question', toolUseId: 'toolu_1', isInherited: true } as const;

describe('the next action of a session: the first condition that is true', () => {
  it.each<[string, Partial<SessionView>, number, object]>([
    ['nothing', {}, 599, { kind: 'wait' }],
    ['idle', {}, 600, { kind: 'idle' }],
    ['unread', { work: { ...nothing, unread: true } }, 1, { kind: 'get_pending_messages', again: false }],
    [
      'trap 5: unread comes before idleness',
      { work: { ...nothing, unread: true } },
      9_999,
      { kind: 'get_pending_messages', again: false },
    ],
    [
      'a resolved question comes before idleness',
      { resolvedCard: { kind: 'question', toolUseId: 'toolu_1', isInherited: false } },
      9_999,
      { kind: 'question_resolved', toolUseId: 'toolu_1' },
    ],
    [
      'unread comes before a resolved question',
      {
        work: { ...nothing, unread: true },
        resolvedCard: { kind: 'question', toolUseId: 'toolu_1', isInherited: false },
      },
      1,
      { kind: 'get_pending_messages', again: false },
    ],
    [
      'what the work on a task waits for comes before unread: its program fetches nothing in its turn',
      {
        hasTask: true,
        work: { ...nothing, unread: true, held: true },
        resolvedCard: { kind: 'approval', toolUseId: 'toolu_1', isInherited: false },
      },
      1,
      { kind: 'approval_resolved', toolUseId: 'toolu_1' },
    ],
    [
      'not what a session for a task has inherited',
      { hasTask: true, work: { ...nothing, unread: true, held: true }, resolvedCard: inherited },
      1,
      { kind: 'get_pending_messages', again: false },
    ],
    [
      'an approval is told like a question',
      {
        work: { ...nothing, held: true },
        resolvedCard: { kind: 'approval', toolUseId: 'toolu_1', isInherited: false },
      },
      9_999,
      { kind: 'approval_resolved', toolUseId: 'toolu_1' },
    ],
    [
      'unread while it holds another',
      { work: { ...nothing, unread: true, held: true } },
      9_999,
      { kind: 'get_pending_messages', again: false },
    ],
    [
      'what is held unanswered can be fetched again',
      { work: { ...nothing, held: true }, heldAgain: true },
      1,
      { kind: 'get_pending_messages', again: true },
    ],
    [
      'not while a person is asked: the turn goes on',
      { work: { ...nothing, held: true, openCard: true }, heldAgain: true },
      1,
      { kind: 'wait' },
    ],
    [
      'the answer of a person comes before what is held',
      {
        work: { ...nothing, held: true },
        heldAgain: true,
        resolvedCard: { kind: 'question', toolUseId: 'toolu_1', isInherited: false },
      },
      1,
      { kind: 'question_resolved', toolUseId: 'toolu_1' },
    ],
    [
      'a question that it inherited is told',
      { resolvedCard: inherited },
      1,
      { kind: 'question_resolved', toolUseId: 'toolu_1' },
    ],
    [
      'not while it works on its task',
      { resolvedCard: inherited, hasTask: true, work: { ...nothing, held: true } },
      9_999,
      { kind: 'wait' },
    ],
    [
      'while it holds messages: a model reads it here',
      { resolvedCard: inherited, work: { ...nothing, held: true } },
      1,
      { kind: 'question_resolved', toolUseId: 'toolu_1' },
    ],
    [
      'not to a program that may not have begun the turn',
      { resolvedCard: inherited, usesReceipts: true, work: { ...nothing, held: true } },
      9_999,
      { kind: 'wait' },
    ],
    [
      'nor before it has fetched what it holds again',
      { resolvedCard: inherited, usesReceipts: true, heldAgain: true, work: { ...nothing, held: true } },
      1,
      { kind: 'get_pending_messages', again: true },
    ],
    [
      'not while it asks something else',
      { resolvedCard: inherited, work: { ...nothing, openCard: true } },
      9_999,
      { kind: 'wait' },
    ],
    [
      'not while messages wait for the folder',
      { resolvedCard: inherited, withheldIn: 'proj_1', work: { ...nothing, unread: true } },
      9_999,
      { kind: 'wait', folderOf: 'proj_1' },
    ],
    ['holding is never idle', { work: { ...nothing, held: true } }, 9_999, { kind: 'wait' }],
    ['an open question is never idle', { work: { ...nothing, openCard: true } }, 9_999, { kind: 'wait' }],
    [
      'a live conversation is never idle',
      { work: { ...nothing, liveConversation: true } },
      9_999,
      { kind: 'wait' },
    ],
    [
      'timed out',
      { state: 'terminating', end: { action: 'logout', reason: 'session_timeout' } },
      1,
      { kind: 'logout', reason: 'session_timeout' },
    ],
    [
      'ended, with work that came too late',
      { state: 'ended', end: { action: 'exit', reason: 'replaced' }, work: { ...nothing, unread: true } },
      1,
      { kind: 'exit', reason: 'replaced' },
    ],
    [
      'unread, and the tokens of the day are used up: it is refused',
      { work: { ...nothing, unread: true }, tokenLimit: 'reached' },
      1,
      { kind: 'over_limit' },
    ],
    [
      'a conversation waits to begin, and the tokens are used up',
      { conversationDue: true, tokenLimit: 'reached' },
      1,
      { kind: 'over_limit' },
    ],
    [
      'what still waits after that is not given, and the session is not idle by it',
      { work: { ...nothing, unread: true }, tokenLimit: 'refused' },
      9_999,
      { kind: 'wait' },
    ],
    [
      'a limit does not cut a running turn',
      { work: { ...nothing, held: true, unread: true }, heldAgain: true, tokenLimit: 'refused' },
      1,
      { kind: 'get_pending_messages', again: true },
    ],
    [
      'unread, while another agent works in the folder',
      { work: { ...nothing, unread: true }, withheldIn: 'prj_1' },
      9_999,
      { kind: 'wait', folderOf: 'prj_1' },
    ],
    [
      'what it holds is offered again, while another agent works in the folder',
      { work: { ...nothing, unread: true, held: true }, heldAgain: true, withheldIn: 'prj_1' },
      1,
      { kind: 'get_pending_messages', again: true },
    ],
    ['nothing waits, and the tokens are used up', { tokenLimit: 'reached' }, 1, { kind: 'wait' }],
    ['over by itself', { state: 'ended' }, 1, { kind: 'logout', reason: 'session_timeout' }],
  ])('%s', (_, change, seconds, expected) => {
    expect(decideNextStep({ ...active, ...change }, at(seconds), IDLE_MS)).toEqual(expected);
  });

  it.each(EXIT_REASONS)('exit %s comes before unread messages', (reason) => {
    const view: SessionView = {
      ...active,
      state: 'terminating',
      end: { action: 'exit', reason },
      work: { ...nothing, unread: true },
    };
    expect(decideNextStep(view, at(1), IDLE_MS)).toEqual({ kind: 'exit', reason });
  });
});
