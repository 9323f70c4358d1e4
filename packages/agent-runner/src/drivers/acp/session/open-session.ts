import { methods } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import type { SessionOptions } from '../../../driver.ts';
import { loadedSessionSchema, newSessionSchema, type SessionState } from '../agent-messages.ts';
import { AcpFailure } from '../failures.ts';
import type { AgentPeer } from '../process/agent-peer.ts';
import type { Requests } from '../process/requests.ts';
import { mcpServerFor } from './mcp-server.ts';

/** Of an earlier session, to be continued. */
const savedSchema = z.object({
  sessionId: z.string(),
  /** The command that made it: another program does not know it. */
  command: z.string(),
  /** Milliseconds since 1970, when the agent had answered. */
  madeAt: z.number(),
  wasLoaded: z.boolean().optional(),
});
export type SavedSession = z.infer<typeof savedSchema>;

export interface OpenOptions {
  readonly session: SessionOptions;
  readonly requests: Requests;
  readonly cwd: string;
  readonly command: string;
  /** For the system prompt of an agent that takes one. */
  readonly instructions: string;
  readonly now: () => number;
}

export interface OpenedSession {
  readonly saved: SavedSession;
  readonly state: SessionState;
  /** The agent knows what was said before. */
  readonly isResumed: boolean;
}

/** Undefined: there is none, or it is not of this command. */
export function savedSession(token: string | undefined, command: string): SavedSession | undefined {
  if (token === undefined) return undefined;
  try {
    const saved = savedSchema.parse(JSON.parse(token));
    return saved.command === command ? saved : undefined;
  } catch {
    return undefined;
  }
}

/** Continues the saved session where the agent can, and begins a new one where it cannot. Throws AcpFailure. */
export async function openSession(
  peer: AgentPeer,
  saved: SavedSession | undefined,
  options: OpenOptions,
): Promise<OpenedSession> {
  const { requests, session, now } = options;
  const meta = peer.known.meta?.(options.instructions);
  const common = {
    cwd: options.cwd,
    mcpServers: mcpServerFor(peer, session),
    ...(meta && { _meta: meta }),
  };
  const state = saved && (await resumed(peer, saved, common, options));
  if (saved && state) {
    requests.sessionId = saved.sessionId;
    return { saved: { ...saved, wasLoaded: true }, state, isResumed: true };
  }
  const made = await peer.startRequest(methods.agent.session.new, common, newSessionSchema);
  const { sessionId } = made;
  requests.sessionId = sessionId;
  const { command } = options;
  return { saved: { sessionId, command, madeAt: now() }, state: made, isResumed: false };
}

/** Undefined: it cannot be continued. */
async function resumed(
  peer: AgentPeer,
  saved: SavedSession,
  common: object,
  { session: { log }, now }: OpenOptions,
): Promise<SessionState | undefined> {
  const { loadSession, sessionCapabilities } = peer.capabilities;
  const canResume = sessionCapabilities?.resume !== undefined && sessionCapabilities.resume !== null;
  if (!canResume && loadSession !== true) return undefined;
  if (peer.known.erasesOnLoad && isErasedOnLoad(saved, now())) {
    log(`the session ${saved.sessionId} is not loaded: the program would erase it`);
    return undefined;
  }
  // Without a replay, where the agent offers it.
  const method = canResume ? methods.agent.session.resume : methods.agent.session.load;
  try {
    return await peer.startRequest(method, { ...common, sessionId: saved.sessionId }, loadedSessionSchema);
  } catch (error) {
    if (!(error instanceof AcpFailure) || !peer.isAlive) throw error;
    log(`the session ${saved.sessionId} cannot be continued, a new one begins: ${error.message}`);
    return undefined;
  }
}

/** It names the files of a session by the minute and the id, and takes those of one id for leftovers (Gemini CLI). */
function isErasedOnLoad({ madeAt, wasLoaded = false }: SavedSession, now: number): boolean {
  return wasLoaded || minuteOf(madeAt) === minuteOf(now);
}

function minuteOf(time: number): number {
  return Math.floor(time / 60_000);
}
