import { z } from 'zod';
import { codePointLength } from './ids.ts';

export const STEP_KINDS = ['thought', 'tool', 'command', 'read', 'edit', 'search', 'other'] as const;
export const STEP_STATUSES = ['running', 'done', 'failed'] as const;
/** The parts of a step that may be longer than what is kept. */
export const STEP_PARTS = ['title', 'detail', 'diff'] as const;

/**
 * Of one answer, of one turn at a task, of all turns of an attempt, and of one step; bytes in UTF-8. `diffBytes`: the path, the text before and the text
 * after.
 */
export const STEP_LIMITS = {
  steps: 200,
  stepsOfTurn: 1_000,
  stepsOfAttempt: 2_000,
  titleLength: 200,
  pathBytes: 4_096,
  detailBytes: 4_096,
  diffBytes: 65_536,
} as const;

/** One thing that an agent does on the way to its answer, the same keys in REST and WebSocket. */
export const stepSchema = z.object({
  id: z.string(),
  kind: z.enum(STEP_KINDS),
  title: z.string(),
  status: z.enum(STEP_STATUSES),
  detail: z.string().optional(),
  diff: z.object({ path: z.string(), before: z.string(), after: z.string() }).optional(),
  /** These parts were longer: only their beginning is here. */
  cut: z.array(z.enum(STEP_PARTS)).optional(),
});
export type Step = z.infer<typeof stepSchema>;

export const listStepsQuerySchema = z.strictObject({ step: z.string().min(1).max(128).optional() });
export const stepListSchema = z.object({ steps: z.array(stepSchema) });
export type StepList = z.infer<typeof stepListSchema>;

/** An answer that is being written and of which steps were reported. */
export const growingAnswerSchema = z.object({
  messageId: z.string(),
  steps: z.number().int(),
  /** The conversation to which it belongs; absent: the chat with people. */
  conversationId: z.string().optional(),
});

/**
 * The step within its limits; `cut` names what was longer, and what was cut already. The runner calls it before it
 * sends, the server when it stores: a step that fits is not changed.
 */
export function fitStep(step: Step): Step {
  const title = fitTitle(step.title);
  const detail = step.detail === undefined ? undefined : cutToBytes(step.detail, STEP_LIMITS.detailBytes);
  const diff = step.diff && fitDiff(step.diff);
  const isCut = {
    title: title.isCut,
    detail: detail !== step.detail,
    diff: diff !== undefined && !isSameDiff(diff, step.diff),
  };
  const cut = STEP_PARTS.filter((part) => isCut[part] || step.cut?.includes(part));
  return {
    id: step.id,
    kind: step.kind,
    title: title.text || step.kind,
    status: step.status,
    ...(detail !== undefined && { detail }),
    ...(diff && { diff }),
    ...(cut.length > 0 && { cut }),
  };
}

type Diff = NonNullable<Step['diff']>;

/** One line: what breaks or turns a line would change the lines beside it. */
function fitTitle(title: string): { text: string; isCut: boolean } {
  const line = title
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/\p{Bidi_Control}+/gu, '')
    .trim();
  const isCut = codePointLength(line) > STEP_LIMITS.titleLength;
  return { text: isCut ? [...line].slice(0, STEP_LIMITS.titleLength).join('') : line, isCut };
}

/** Each side has half of the room, and what the other side does not need. */
function fitDiff({ path, before, after }: Diff): Diff {
  const kept = cutToBytes(path, STEP_LIMITS.pathBytes);
  const room = STEP_LIMITS.diffBytes - bytesOf(kept);
  const half = Math.floor(room / 2);
  const forBefore = Math.max(half, room - bytesOf(after));
  const forAfter = Math.max(half, room - bytesOf(before));
  return { path: kept, before: cutToBytes(before, forBefore), after: cutToBytes(after, forAfter) };
}

function isSameDiff(one: Diff, other: Diff | undefined): boolean {
  return one.path === other?.path && one.before === other.before && one.after === other.after;
}

const encoder = new TextEncoder();

/** The longest beginning of whole characters with at most `max` bytes. */
function cutToBytes(text: string, max: number): string {
  // No UTF-16 unit has more than three bytes.
  if (text.length * 3 <= max) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(max));
  return text.slice(0, read);
}

function bytesOf(text: string): number {
  return encoder.encode(text).byteLength;
}
