import { randomUUID } from 'node:crypto';
import { APPROVAL_LIMITS } from '@aizuchi/shared/contract/approval';
import type { ToolInput, ToolOutput } from '@aizuchi/shared/contract/tools/tools';
import { cutInput, isTooDeep } from '@aizuchi/shared/core/approvals/rules/cut-input';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import type { ApprovalOutcome, ApprovalRequest } from '../driver.ts';
import type { TurnContext } from './turn-context.ts';

export type Requested = ApprovalOutcome | { readonly decision: 'pending'; readonly toolUseId: string };

/** What the server is sent of an input; it shortens that further and says so. A call has 1 MiB. */
const SENT_BYTES = 524_288;

const DECISIONS = {
  allowed_once: 'allow_once',
  allowed_session: 'allow_session',
  denied: 'deny',
  timeout: 'timeout',
  cancelled: 'cancelled',
  unavailable: 'unavailable',
} as const satisfies Record<
  Exclude<ToolOutput<'request_approval'>['status'], 'pending'>,
  ApprovalOutcome['decision']
>;

/**
 * Asks for a permission. The call is not held: the held get_next_action returns at once when a person has decided. The
 * same request, made again after a crash, is the same one. What the server refuses is not permitted.
 */
export async function requestApproval(
  request: ApprovalRequest,
  { client, log, hide }: TurnContext,
  signal: AbortSignal,
): Promise<Requested> {
  const refused = (reason: unknown): Requested => {
    log(`the request to use ${request.tool} was refused: ${reason}`);
    return { decision: 'unavailable' };
  };
  // A person could not be shown what is to be done.
  if (isTooDeep(request.input)) return refused('its input is nested too deep');
  try {
    const answer = await client.callUntilAnswered('request_approval', toCall(request, hide), { signal });
    const { status, note, tool_use_id } = answer;
    if (status === 'pending') return { decision: 'pending', toolUseId: tool_use_id };
    return toOutcome(status, note);
  } catch (error) {
    if (!(error instanceof ToolRefused)) throw error;
    return refused(`${error.code}: ${error.message}`);
  }
}

export function toOutcome(status: keyof typeof DECISIONS, note: string | undefined): ApprovalOutcome {
  return { decision: DECISIONS[status], ...(note !== undefined && { note }) };
}

function toCall(
  { tool, summary, input, kind, sessionScope }: ApprovalRequest,
  hide: (text: string) => string,
): ToolInput<'request_approval'> {
  return {
    tool: firstOf(tool, APPROVAL_LIMITS.tool),
    summary: firstOf(hide(summary), APPROVAL_LIMITS.summary),
    input: cutInput(hiddenIn(input ?? null, hide), SENT_BYTES).input,
    ...(kind !== undefined && { kind }),
    ...(sessionScope !== undefined && {
      session_scope: firstOf(hide(sessionScope), APPROVAL_LIMITS.sessionScope),
    }),
    hold_seconds: 0,
    // Of two equal requests of one session each is asked by itself; a repeated call is not.
    idempotency_key: randomUUID(),
  };
}

/** The same JSON, with `hide` in its texts. */
function hiddenIn(input: unknown, hide: (text: string) => string): unknown {
  return JSON.parse(JSON.stringify(input), (_key, value: unknown) =>
    typeof value === 'string' ? hide(value) : value,
  );
}

/** The first `count` code points. */
function firstOf(text: string, count: number): string {
  const points = [...text];
  return points.length <= count ? text : `${points.slice(0, count - 1).join('')}…`;
}
