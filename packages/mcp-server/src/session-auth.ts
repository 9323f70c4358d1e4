import { AppError } from '@aizuchi/shared/platform/errors';
import { addressGroup } from '@aizuchi/shared/platform/http/address';
import { sameSecret } from '@aizuchi/shared/platform/token-hash';
import type { AgentCaller } from './ports.ts';
import type { ToolCall } from './tool-call.ts';

export interface AgentToolOptions {
  /** A session that ended less than ten minutes ago may call it too. */
  readonly evenIfEnded?: boolean;
  /** Held calls and heartbeats are not counted. */
  readonly unlimited?: boolean;
  /**
   * The caller may be remembered for minutes. Set only where the tool's own write checks the state of the
   * session. When that write fails, the caller is read again (requireLive), so that an ended session learns
   * its end first.
   */
  readonly cached?: boolean;
  /** Its answer may exceed a MiB: only a few of them run at the same time. */
  readonly large?: boolean;
  /** It only asks what is next: the state of the session does not change. */
  readonly asksOnly?: boolean;
}

/**
 * Finds the agent session that calls: by the session_token argument, else by the bearer (a session token, or
 * a launch ticket after authenticate). Waits until the previous answer of the session is recorded as
 * acknowledged.
 */
export async function authoriseAgent(
  args: unknown,
  call: ToolCall,
  options: AgentToolOptions,
): Promise<AgentCaller> {
  const credential = credentialOf(args, 'session_token', call);
  if (credential === undefined)
    throw refused(
      call,
      'Sign in first: call authenticate, then pass its session_token, or send it as bearer token.',
    );
  const { sessions, ledger, touches, limiter, callers } = call.context;
  const remembered = options.cached ? callers.get(credential) : undefined;
  let caller = remembered ?? (await resolve(credential, call));
  // The acknowledgement may have ended the session: then its caller is not remembered.
  if ((await ledger.settled(caller.sessionId)) && !remembered) caller = await sessions.resolve(credential);
  if (options.cached) callers.put(credential, caller);
  if (!caller.live && options.evenIfEnded !== true) throw endedSession(call);
  if (options.unlimited !== true) limit(limiter.take(caller.sessionId));
  touches.add(caller.sessionId);
  return caller;
}

/** Reads again who calls. @throws AppError unauthenticated when the session has ended meanwhile. */
export async function requireLive(args: unknown, call: ToolCall): Promise<void> {
  const credential = credentialOf(args, 'session_token', call);
  if (credential === undefined) return;
  const { live, sessionId } = await resolve(credential, call);
  if (live) return;
  call.context.callers.forget(sessionId);
  throw endedSession(call);
}

/** Throws unless the Coordinator token was sent; the token of a session is not accepted. */
export function authoriseCoordinator(args: unknown, call: ToolCall): void {
  const credential = credentialOf(args, 'coordinator_token', call);
  if (credential === undefined)
    throw refused(call, 'This tool is for Coordinators: send the Coordinator token as bearer token.');
  if (sameSecret(credential, call.context.coordinatorToken)) return;
  limitWrongBearer(call);
  throw new AppError('unauthenticated', 'This is not the Coordinator token of this server.');
}

/** Counts a call without a signature for the address that it came from. */
export function limitAddress(call: ToolCall): void {
  limit(call.context.limiter.take(`address:${call.exchange.address}`));
}

/**
 * Counts a wrong bearer for the address that it came from. The bearer was looked up before that, by an index,
 * so that a right one from the same address is never refused. @throws AppError rate_limited after too many in
 * a minute.
 */
export function limitWrongBearer(call: ToolCall): void {
  const { wrongBearers } = call.context;
  const group = addressGroup(call.exchange.address);
  wrongBearers?.add(group);
  if (wrongBearers?.isOver(group)) limit(wrongBearers.retryAfterSeconds(group));
}

async function resolve(credential: string, call: ToolCall): Promise<AgentCaller> {
  try {
    return await call.context.sessions.resolve(credential);
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') limitWrongBearer(call);
    throw error;
  }
}

function endedSession(call: ToolCall): AppError {
  return refused(call, 'This session has ended. Call get_next_action to hear why.');
}

function refused(call: ToolCall, message: string): AppError {
  limitAddress(call);
  return new AppError('unauthenticated', message);
}

function limit(retryAfterSeconds: number | undefined): void {
  if (retryAfterSeconds === undefined) return;
  throw new AppError('rate_limited', 'Too many calls. Wait, then call again.', { retryAfterSeconds });
}

function credentialOf(
  args: unknown,
  name: 'session_token' | 'coordinator_token',
  call: ToolCall,
): string | undefined {
  const given = typeof args === 'object' && args !== null ? Reflect.get(args, name) : undefined;
  return typeof given === 'string' && given !== '' ? given : call.exchange.bearer;
}
