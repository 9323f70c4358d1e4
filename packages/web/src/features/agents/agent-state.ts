import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import { ringOf } from '../presence/presence.ts';

/** What is said first when an agent is in several projects. */
const FIRST = ['failed', 'waiting', 'working', 'starting', 'queued', 'ready', 'none'] as const;

/** The session that says most about the agent: what failed, then what waits for a person, then what works. */
export function tellingSession(
  sessions: Iterable<AgentSessionView | undefined>,
): AgentSessionView | undefined {
  const known = [...sessions].filter((session) => session !== undefined);
  const rank = (session: AgentSessionView) => FIRST.indexOf(ringOf(session));
  return known.toSorted((a, b) => rank(a) - rank(b))[0];
}
