import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expiresAt } from '../../cards/rules/card-machine.ts';
import { mayAsk } from './interactive.ts';
import { decideQuestion, type QuestionCommand, type QuestionSnapshot } from './question-machine.ts';
import { QUESTION_STATES } from './question-states.ts';

const T0 = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(T0.getTime() + seconds * 1_000);
const shown: QuestionSnapshot = {
  state: 'pending',
  shownAt: T0,
  orphanedAt: null,
  acknowledgedAt: null,
  isOfSystem: false,
};
const queued = { ...shown, shownAt: null };
const orphaned = { ...shown, orphanedAt: T0 };
const answered: QuestionSnapshot = { ...shown, state: 'answered' };
const expire = { type: 'expire', timeoutMs: 300_000 } as const;
const claim = { type: 'claim', sessionId: 'ses_2', isAsked: true } as const;

describe('the transitions of a card', () => {
  it.each<[string, QuestionSnapshot, QuestionCommand, number, string | object]>([
    ['an answer to what is shown', shown, { type: 'answer' }, 1, { to: 'answered' }],
    ['an answer to what nobody has seen', queued, { type: 'answer' }, 1, 'not_shown'],
    ['a second answer', answered, { type: 'answer' }, 1, 'already_resolved'],
    ['the answer to the card that it waits with', queued, { type: 'follow' }, 1, { to: 'answered' }],
    ['what people see is answered by them alone', shown, { type: 'follow' }, 1, 'nothing_to_do'],
    ['in time', shown, expire, 299, 'not_due'],
    ['out of time', shown, expire, 300, { to: 'timeout' }],
    ['no time-out', shown, { type: 'expire', timeoutMs: 0 }, 1e6, 'not_due'],
    ['a queued card has all its time before it', queued, expire, 1e6, 'not_due'],
    ["the system's own card waits for ever", { ...shown, isOfSystem: true }, expire, 1e6, 'not_due'],
    ['what was answered never times out', answered, expire, 1e6, 'already_resolved'],
    [
      'cancelled',
      queued,
      { type: 'cancel', reason: 'session_ended' },
      1,
      { to: 'cancelled', reason: 'session_ended' },
    ],
    ['cancelled too late', answered, { type: 'cancel', reason: 'agent_gone' }, 1, 'already_resolved'],
    ['the next in line', queued, { type: 'show', open: false }, 1, { to: 'shown' }],
    ['not while another is open', queued, { type: 'show', open: true }, 1, 'another_is_open'],
    ['shown once', shown, { type: 'show', open: false }, 1, 'nothing_to_do'],
    ['its session has gone', shown, { type: 'orphan' }, 1, { to: 'orphaned' }],
    ['answered and not heard: its successor hears it', answered, { type: 'orphan' }, 1, { to: 'orphaned' }],
    [
      'answered and heard: nobody else',
      { ...answered, acknowledgedAt: T0 },
      { type: 'orphan' },
      1,
      'nothing_to_do',
    ],
    ['timed out: nobody else', { ...shown, state: 'timeout' }, { type: 'orphan' }, 1, 'already_resolved'],
    ['taken over', orphaned, claim, 59, { to: 'claimed', sessionId: 'ses_2', isAsked: true }],
    ["taken over from a session that lives: another's card", shown, claim, 1, 'not_orphaned'],
    ['nobody takes it over, yet', orphaned, { type: 'orphan_over' }, 59, 'not_due'],
    [
      'nobody takes it over',
      orphaned,
      { type: 'orphan_over' },
      60,
      { to: 'cancelled', reason: 'agent_gone' },
    ],
    ['a card with its session is no orphan', shown, { type: 'orphan_over' }, 1e6, 'not_due'],
  ])('%s', (_name, card, command, seconds, expected) => {
    const decision = decideQuestion(card, command, at(seconds));
    expect(decision.ok ? decision.value : decision.refusal).toEqual(expected);
  });

  it('I-10: after any commands it is resolved once, and answered only by an answer', () => {
    const commands = fc.constantFrom<QuestionCommand>(
      { type: 'show', open: false },
      { type: 'answer' },
      expire,
      { type: 'cancel', reason: 'session_ended' },
      { type: 'orphan' },
      { type: 'orphan_over' },
      claim,
    );
    const steps = fc.array(fc.tuple(commands, fc.integer({ min: 0, max: 400 })), {
      maxLength: 12,
      size: 'max',
    });
    fc.assert(
      fc.property(steps, fc.boolean(), (history, isQueued) => {
        let card: QuestionSnapshot = isQueued ? queued : shown;
        let resolved = 0;
        let now = 0;
        for (const [command, seconds] of history) {
          now += seconds;
          const decision = decideQuestion(card, command, at(now));
          if (!decision.ok) continue;
          const { to } = decision.value;
          const state = QUESTION_STATES.find((one) => one === to);
          if (state) resolved += 1;
          if (state === 'answered') expect(command.type).toBe('answer');
          card = {
            ...card,
            ...(state && { state }),
            ...(to === 'shown' && { shownAt: at(now) }),
            ...(to === 'orphaned' && { orphanedAt: at(now) }),
            ...(to === 'claimed' && { orphanedAt: null }),
          };
        }
        expect(resolved).toBeLessThanOrEqual(1);
        expect(card.state === 'pending').toBe(resolved === 0);
      }),
    );
  });

  it('it says until when it waits', () => {
    expect(expiresAt(shown, 300_000)).toEqual(at(300));
    expect(expiresAt(queued, 300_000)).toBeNull();
    expect(expiresAt(shown, 0)).toBeNull();
  });
});

describe('a session may ask when a person is present', () => {
  const chat = { openedBy: 'owner', heardPerson: false, worksForSchedule: false } as const;
  it.each<[string, Parameters<typeof mayAsk>[0], boolean]>([
    ['a chat that a person opened', chat, true],
    ['a chat that nobody opened', { ...chat, openedBy: null }, false],
    ['one in which a person has spoken since', { ...chat, openedBy: null, heardPerson: true }, true],
    ["a schedule's prompt in a warm chat", { ...chat, heardPerson: true, worksForSchedule: true }, false],
  ])('%s', (_name, session, expected) => {
    expect(mayAsk(session)).toBe(expected);
  });
});
