import { describe, expect, it } from 'vitest';
import { decideFolder, type FolderMember, type WaitingSource } from './folder-lease.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000);
const fromPerson = (seconds: number): WaitingSource => ({
  threadId: 'chat',
  since: at(seconds),
  partnerId: null,
});
const fromAgent = (partnerId: string, seconds = 0): WaitingSource => ({
  threadId: `with ${partnerId}`,
  since: at(seconds),
  partnerId,
});

function member(agentId: string, options: Partial<FolderMember> = {}): FolderMember {
  return { key: agentId, agentId, holds: false, reserves: false, isReady: true, waiting: [], ...options };
}
const waits = (agentId: string, ...waiting: WaitingSource[]) => member(agentId, { waiting });
const works = (agentId: string, ...waiting: WaitingSource[]) => member(agentId, { holds: true, waiting });

const everything = { threads: 'all', waitsFor: null };
const nothing = (waitsFor: string | null) => ({ threads: [], waitsFor });

describe('while nobody works', () => {
  it('the oldest waiting message is first; who is behind waits for its agent', () => {
    const members = [waits('b', fromPerson(2)), waits('a', fromPerson(3), fromAgent('x', 1)), member('c')];
    expect(decideFolder(members, 'a')).toEqual(everything);
    expect(decideFolder(members, 'b')).toEqual(nothing('a'));
    // What is stored for it in the meantime is behind, too.
    expect(decideFolder(members, 'c')).toEqual(nothing(null));
  });

  it('of two messages of the same moment one is first, whoever asks', () => {
    const members = [waits('b', fromPerson(1)), waits('a', fromPerson(1))];
    expect([decideFolder(members, 'a'), decideFolder(members, 'b')]).toEqual([everything, nothing('a')]);
  });

  it('who is not ready keeps nobody waiting, and is first when it asks', () => {
    const members = [{ ...waits('a', fromPerson(1)), isReady: false }, waits('b', fromPerson(2))];
    expect(decideFolder(members, 'b')).toEqual(everything);
    expect(decideFolder(members, 'a')).toEqual(everything);
  });

  it('a session that does not share the folder waits for nobody', () => {
    expect(decideFolder([works('a')], 'other')).toEqual(everything);
  });
});

describe('while somebody works', () => {
  it('it is given everything, also what came later than the message of another', () => {
    const members = [works('a', fromPerson(9)), waits('b', fromPerson(1))];
    expect(decideFolder(members, 'a')).toEqual(everything);
    expect(decideFolder(members, 'b')).toEqual(nothing('a'));
  });

  it('another session of the same agent waits as well', () => {
    const members = [works('a'), { ...waits('a', fromPerson(1)), key: 'task of a' }];
    expect(decideFolder(members, 'task of a')).toEqual(nothing('a'));
  });

  it('an agent that it has asked is given that, and nothing else', () => {
    const asked = waits('b', fromPerson(1), fromAgent('a', 2), fromAgent('c', 1));
    expect(decideFolder([works('a'), asked], 'b')).toEqual({ threads: ['with a'], waitsFor: null });
    expect(decideFolder([asked, waits('c', fromPerson(0))], 'b')).toEqual(nothing('c'));
  });

  it('the answer reaches it while the other agent still works', () => {
    const members = [works('a', fromAgent('b', 1), fromPerson(1)), works('b', fromPerson(0))];
    expect(decideFolder(members, 'a')).toEqual({ threads: ['with b'], waitsFor: null });
    expect(decideFolder(members, 'b')).toEqual(nothing('a'));
  });

  it('three agents in a ring ask each other', () => {
    const ring = [works('a', fromAgent('c')), works('b'), works('c'), waits('d', fromPerson(0))];
    expect(decideFolder(ring, 'a')).toEqual({ threads: ['with c'], waitsFor: null });
    expect(decideFolder(ring, 'd')).toEqual(nothing('a'));
  });
});

describe('who was started for its work and has fetched nothing yet', () => {
  const reserves = (agentId: string, ...waiting: WaitingSource[]) =>
    member(agentId, { reserves: true, waiting });

  it('has the folder while nobody works', () => {
    const members = [waits('b', fromPerson(1)), reserves('a', fromPerson(2))];
    expect(decideFolder(members, 'a')).toEqual(everything);
    expect(decideFolder(members, 'b')).toEqual(nothing('a'));
  });

  it('keeps nobody waiting that works, and waits for it', () => {
    const members = [works('a', fromAgent('x', 3)), reserves('b', fromPerson(1))];
    expect(decideFolder(members, 'a')).toEqual(everything);
    expect(decideFolder(members, 'b')).toEqual(nothing('a'));
  });

  it('of two the oldest goes on, and both do when it has asked the other', () => {
    const members = [reserves('a', fromPerson(2)), reserves('b', fromPerson(1), fromAgent('a', 3))];
    expect(decideFolder(members, 'a')).toEqual(everything);
    expect(decideFolder(members, 'b')).toEqual({ threads: ['with a'], waitsFor: null });
    const strangers = [reserves('a', fromPerson(2)), reserves('b', fromPerson(1))];
    expect(decideFolder(strangers, 'b')).toEqual(nothing('a'));
  });
});
