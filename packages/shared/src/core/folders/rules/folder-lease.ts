/*
 * In a project whose agents share its folder, one agent that writes files works at a time. Who works has the folder
 * lease: from the delivery of a message until its work is at rest. Nobody has it between two turns.
 */

/** Messages of one source that wait. */
export interface WaitingSource {
  readonly threadId: string;
  /** Since when the oldest of them waits. */
  readonly since: Date;
  /** In a conversation the agent that wrote them; null: the chat with people. */
  readonly partnerId: string | null;
}

/** A session in the folder, or a start that waits for it. */
export interface FolderMember {
  /** Unique in the folder. */
  readonly key: string;
  readonly agentId: string;
  /** It works: it holds messages unanswered, waits for a person, or goes on with its turn. */
  readonly holds: boolean;
  /** It was started for work that it has not fetched yet. */
  readonly reserves: boolean;
  /** It would take its work at once: it has called lately, or a Coordinator would start it. */
  readonly isReady: boolean;
  readonly waiting: readonly WaitingSource[];
}

export interface FolderDecision {
  /** The threads whose messages it may be given now. */
  readonly threads: 'all' | readonly string[];
  /** The agent that it waits for; null: it waits for nobody. */
  readonly waitsFor: string | null;
}

const ALL: FolderDecision = { threads: 'all', waitsFor: null };

/**
 * What the member `key` may be given now.
 *
 * - While nobody else works: everything, when it works itself, else when it is the first in line. The line is by the
 *   oldest waiting message; who is not ready keeps nobody waiting.
 * - While others work: only what one of them has written to it in a conversation, or, when it works itself, what any
 *   agent has. Otherwise an agent that waits for an answer of its partner, and the partner that waits for the folder,
 *   would wait for each other; so would two that work, whose partners have answered and work no more.
 * - Who was started for its work has the folder while nobody works; of several the oldest. Where somebody works it keeps
 *   nobody waiting: it waits itself, and both would wait for each other.
 *
 * So the members that work at the same time are always one that took the folder when it was free, and those that it
 * has asked, directly or through others. `members`: the oldest first.
 */
export function decideFolder(members: readonly FolderMember[], key: string): FolderDecision {
  const self = members.find((member) => member.key === key);
  if (!self) return ALL;
  const working = members.filter((member) => member.holds);
  const having = working.length > 0 ? working : members.filter((member) => member.reserves);
  const holders = having.filter((member) => member !== self);
  const [holder] = holders;
  if (holder === undefined) {
    const first = having.length > 0 ? self : firstInLine(members, self);
    return first === self ? ALL : behind(self, first);
  }
  if (working.length === 0 && having[0] === self) return ALL;
  const asked = self.waiting.filter(
    ({ partnerId }) =>
      partnerId !== null && (self.holds || holders.some(({ agentId }) => agentId === partnerId)),
  );
  if (asked.length === 0) return behind(self, holder);
  return { threads: asked.map(({ threadId }) => threadId), waitsFor: null };
}

/** What comes for it in the meantime waits, too. */
function behind({ waiting }: FolderMember, { agentId }: FolderMember): FolderDecision {
  return { threads: [], waitsFor: waiting.length > 0 ? agentId : null };
}

/** It may be given nothing, and so neither be started. */
export function isWithheld({ threads }: FolderDecision): boolean {
  return threads !== 'all' && threads.length === 0;
}

/** `self` when nobody waits. */
function firstInLine(members: readonly FolderMember[], self: FolderMember): FolderMember {
  const line = members.filter(
    (member) => member.waiting.length > 0 && !member.holds && (member.isReady || member === self),
  );
  return line.reduce((first, member) => (isBefore(member, first) ? member : first), line[0] ?? self);
}

function isBefore(one: FolderMember, other: FolderMember): boolean {
  const [a, b] = [waitingSince(one), waitingSince(other)];
  return a < b || (a === b && one.key < other.key);
}

function waitingSince({ waiting }: FolderMember): number {
  return Math.min(...waiting.map(({ since }) => since.getTime()));
}
