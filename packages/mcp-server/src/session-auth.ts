import { AppError } from '@aizuchi/shared/platform/errors';
import { addressGroup } from '@aizuchi/shared/platform/http/address';
import { sameSecret } from '@aizuchi/shared/platform/token-hash';
import type { AgentCaller } from './ports.ts';
import type { ToolCall } from './tool-call.ts';

export interface AgentToolOptions {
  /** A session that ended less than ten minutes ago may call it too. */
  readonly evenIfEnded?: boolean;
  /** Held calls and signs of life are not counted. */
  readonly unlimited?: boolean;
  /**
   * Who calls may be remembered for minutes: only where the tool's own write is guarded by how the session stands.
   * What then fails is asked again (requireLive), so that an ended session hears that first.
   */
  readonly cached?: boolean;
  /** Its answer may have a MiB and more: few of them at once. */
  readonly large?: boolean;
  /** It only asks what is next: nothing of the session is another than before. */
  readonly asksOnly?: boolean;
}

/**
 * Which agent session is calling: the session_token argument, else the bearer (a session token, or a launch ticket
 * after authenticate). Waits for what the previous answer of the session is still recording.
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
  // What was told may have ended the session; of that, nobody is remembered.
  if ((await ledger.settled(caller.sessionId)) && !remembered) caller = await sessions.resolve(credential);
  if (options.cached) callers.put(credential, caller);
  if (!caller.live && options.evenIfEnded !== true) throw endedSession(call);
  if (options.unlimited !== true) limit(limiter.take(caller.sessionId));
  touches.add(caller.sessionId);
  return caller;
}

/** Asks anew who calls. @throws AppError unauthenticated when the session has ended meanwhile. */
export async function requireLive(args: unknown, call: ToolCall): Promise<void> {
  const credential = credentialOf(args, 'session_token', call);
  if (credential === undefined) return;
  const { live, sessionId } = await resolve(credential, call);
  if (live) return;
  call.context.callers.forget(sessionId);
  throw endedSession(call);
}

/** Throws unless the Coordinator token came along; a session's token is none. */
export function authoriseCoordinator(args: unknown, call: ToolCall): void {
  const credential = credentialOf(args, 'coordinator_token', call);
  if (credential === undefined)
    throw refused(call, 'This tool is for Coordinators: send the Coordinator token as bearer token.');
  if (sameSecret(credential, call.context.coordinatorToken)) return;
  limitWrongBearer(call);
  throw new AppError('unauthenticated', 'This is not the Coordinator token of this server.');
}

/** Counts a call that nobody has signed for against the address that it came from. */
export function limitAddress(call: ToolCall): void {
  limit(call.context.limiter.take(`address:${call.exchange.address}`));
}

/**
 * Counts a wrong bearer against the address that it came from. It was looked up all the same, by an index, so that a
 * right one from there is never refused. @throws AppError rate_limited after too many in a minute.
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
