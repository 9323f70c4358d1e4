import { z } from 'zod';
import { jsonOf } from '../support/ask.ts';
import type { Call } from './templates.ts';

export interface Judged {
  /** As counted: the status, and for a tool the code of its refusal. */
  readonly status: string;
  /** The violation of the contract; undefined if there is none. */
  readonly fault?: string;
}

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: boolean;
  readonly tookMs: number;
}

const SLOW_MS = 10_000;
/** Failed sign-ins are held: these calls are slow on purpose. */
const HELD = new Set(['login', 'authenticate']);
const TELLS_TOO_MUCH =
  /\bat [^\n]{1,200}\.(ts|js|mjs):\d+|node_modules|\b(select|insert into|update) [^"]{1,80} (from|values|set) /i;

const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const rpcErrorSchema = z.object({ error: z.object({ code: z.number(), message: z.string() }) });
const toolErrorSchema = z.object({
  result: z.object({ isError: z.literal(true), content: z.array(z.object({ text: z.string() })).min(1) }),
});

/** Checks one answer against the rules of the contract. */
export function judge(call: Call, seen: Seen): Judged {
  const code = call.kind === 'tool' ? refusalOf(seen.text) : undefined;
  const status = code === undefined ? String(seen.status) : `${seen.status} ${code.name}`;
  const fault = faultOf(call, seen, code);
  return { status, ...(fault !== undefined && { fault }) };
}

function faultOf(
  { kind, operation }: Call,
  seen: Seen,
  code: ReturnType<typeof refusalOf>,
): string | undefined {
  const { status, text, retryAfter, tookMs } = seen;
  if (status >= 500 && !(status === 503 && retryAfter)) return `answered ${status}`;
  if (code?.name === 'internal') return 'failed inside';
  if (tookMs > SLOW_MS && !HELD.has(operation)) return `took ${(tookMs / 1000).toFixed(1)} s`;
  if (code?.isShapeless) return 'refused by a tool in another shape than the contract has';
  const isRefusal = status >= 400 || code !== undefined;
  if (isRefusal && TELLS_TOO_MUCH.test(text)) return 'tells where it failed';
  if (status < 400 || errorSchema.safeParse(jsonOf({ text })).success) return undefined;
  return kind === 'tool' && rpcErrorSchema.safeParse(jsonOf({ text })).success
    ? undefined
    : 'refused in another shape than the contract has';
}

function refusalOf(text: string): { name: string; isShapeless: boolean } | undefined {
  const body = jsonOf({ text });
  const rpc = rpcErrorSchema.safeParse(body);
  if (rpc.success) return { name: String(rpc.data.error.code), isShapeless: false };
  const tool = toolErrorSchema.safeParse(body);
  if (!tool.success) return undefined;
  const inner = errorSchema.safeParse(jsonOf({ text: tool.data.result.content[0]?.text ?? '' }));
  return inner.success
    ? { name: inner.data.error.code, isShapeless: false }
    : { name: 'without a code', isShapeless: true };
}
