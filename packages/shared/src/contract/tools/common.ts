import { z } from 'zod';

/** Held calls of agents return after this time at the latest: real clients drop a silent call much later. */
export const MAX_HOLD_SECONDS = 25;
/**
 * The wait of the Coordinator is shorter, because it is also its heartbeat, and after 15 s of silence a
 * Coordinator is shown as gone.
 */
export const MAX_COORDINATOR_HOLD_SECONDS = 5;

/** Long enough for every id that we make or accept; the service checks whether it exists. */
export const idArgument = z.string().min(1).max(128);

export const idempotencyKey = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Same key, same tool, same session: the first result is returned and nothing is done twice.');

/** Receipts of what the caller was given and has received; accepted by every tool of a session. */
const received = z
  .array(z.string().max(300))
  .max(100)
  .optional()
  .describe(
    'The receipt of each earlier answer that has reached you. Name them once, at your next call: from then on what you do not name is told again (repeat: true).',
  );

/** Comes with everything that is said only once. */
export const receipt = z
  .string()
  .optional()
  .describe('Name it in "received" of your next call, so that this is not told again.');

export const sessionCredential = {
  session_token: z
    .string()
    .max(512)
    .optional()
    .describe('The session_token that authenticate returned; not needed when you came with a bearer token.'),
};

/** The arguments of every tool of a session besides its own arguments. */
export const sessionArguments = { received, ...sessionCredential };

export const coordinatorCredential = {
  coordinator_token: z
    .string()
    .max(512)
    .optional()
    .describe('The Coordinator token, when it is not sent as bearer token.'),
};

export const holdSeconds = (max: number) =>
  z
    .number()
    .min(0)
    .max(max)
    .optional()
    .describe(`Seconds (0 to ${max}) that the server may hold this call until there is something to say.`);

export const TARGET_ALIASES = ['target_agent_id', 'participant_agent_id', 'target', 'to'] as const;

/** The four names under which clients name the other side; they mean the same value. */
export const targetArguments = {
  target_agent_id: idArgument.optional().describe('The agent, or "user" for the person in the chat.'),
  participant_agent_id: idArgument.optional().describe('Same as target_agent_id.'),
  target: idArgument.optional().describe('Same as target_agent_id.'),
  to: idArgument.optional().describe('Same as target_agent_id.'),
};

type TargetArguments = { [K in (typeof TARGET_ALIASES)[number]]?: string | undefined };

/** The one target that the aliases name; `conflict` when two of them name different targets. */
export function resolveTarget(args: TargetArguments): { target?: string } | { conflict: string[] } {
  const values = new Set(TARGET_ALIASES.flatMap((name) => args[name] ?? []));
  if (values.size > 1) return { conflict: TARGET_ALIASES.filter((name) => args[name] !== undefined) };
  const [target] = values;
  return target === undefined ? {} : { target };
}
