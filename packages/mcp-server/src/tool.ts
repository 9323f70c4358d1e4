import { storable } from '@aizuchi/shared/contract/storable';
import { keys } from '@aizuchi/shared/platform/change-log/keys';
import { AppError } from '@aizuchi/shared/platform/errors';
import type { z } from 'zod';
import type { HeldRequest } from './held/held-calls.ts';
import type { AgentCaller } from './ports.ts';
import {
  type AgentToolOptions,
  authoriseAgent,
  authoriseCoordinator,
  limitAddress,
  requireLive,
} from './session-auth.ts';
import type { ToolCall } from './tool-call.ts';

/** The time of a get_next_action that is held for this session. */
export function heldRequestOf(caller: AgentCaller): HeldRequest {
  return { id: caller.sessionId, key: keys.membership(caller.projectId, caller.agentId) };
}

export interface Tool {
  readonly name: string;
  readonly audience: 'agent' | 'coordinator' | 'anyone';
  /** Identifies the caller, validates the arguments, runs the tool: in this order. Throws AppError. */
  invoke(args: unknown, call: ToolCall): Promise<unknown>;
}

type SessionInput = z.ZodType<{ received?: string[] | undefined }>;

interface Definition<I extends z.ZodType, O extends z.ZodType> {
  readonly name: string;
  readonly input: I;
  readonly output: O;
}

export function agentTool<I extends SessionInput, O extends z.ZodType>(
  definition: Definition<I, O>,
  run: (args: z.output<I>, caller: AgentCaller, call: ToolCall) => Promise<z.input<O>>,
  options: AgentToolOptions = {},
): Tool {
  const input = storable(definition.input);
  return {
    name: definition.name,
    audience: 'agent',
    async invoke(args, call) {
      const caller = await authoriseAgent(args, call, options);
      const disturb = () => call.context.actions.disturb(heldRequestOf(caller));
      try {
        const given = parse(input, args);
        if (options.large) await enterLargeAnswers(caller, call);
        if (given.received && caller.live) await call.context.receipts.received(caller, given.received);
        // From now on get_next_action reads: receipts were acknowledged, or a tool is held after its effect.
        if (!options.asksOnly || given.received) disturb();
        return await run(given, caller, call);
      } catch (error) {
        if (options.cached && !options.evenIfEnded) await requireLive(args, call);
        throw error;
      } finally {
        // A call that is held meanwhile may have read the state before the effect, also of a tool that failed.
        if (!options.asksOnly) disturb();
      }
    },
  };
}

export function coordinatorTool<I extends z.ZodType, O extends z.ZodType>(
  definition: Definition<I, O>,
  run: (args: z.output<I>, call: ToolCall) => Promise<z.input<O>>,
): Tool {
  const input = storable(definition.input);
  return {
    name: definition.name,
    audience: 'coordinator',
    async invoke(args, call) {
      authoriseCoordinator(args, call);
      return run(parse(input, args), call);
    },
  };
}

export function openTool<I extends z.ZodType, O extends z.ZodType>(
  definition: Definition<I, O>,
  run: (args: z.output<I>, call: ToolCall) => Promise<z.input<O>>,
  options: {
    readonly onInvalid?: (call: ToolCall) => z.input<O>;
    /** The tool limits its callers by itself: calls from one address are not counted together. */
    readonly hasOwnLimit?: true;
  } = {},
): Tool {
  const { onInvalid, hasOwnLimit } = options;
  const input = storable(definition.input);
  return {
    name: definition.name,
    audience: 'anyone',
    async invoke(args, call) {
      if (!hasOwnLimit) limitAddress(call);
      if (onInvalid && !input.safeParse(args ?? {}).success) return onInvalid(call);
      return run(parse(input, args), call);
    },
  };
}

async function enterLargeAnswers({ sessionId }: AgentCaller, { context, exchange }: ToolCall): Promise<void> {
  if (!exchange.takeLargeAnswer())
    throw new AppError(
      'rate_limited',
      'One call of a batch may have a large answer. Send this one by itself.',
      {
        retryAfterSeconds: 1,
      },
    );
  await context.largeAnswers.enter(sessionId, (leave) => exchange.onGone(leave));
}

function parse<S extends z.ZodType>(schema: S, args: unknown): z.output<S> {
  const result = schema.safeParse(args ?? {});
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const [first] = issues;
  const where = first?.path ? `${first.path}: ` : '';
  throw new AppError('invalid_input', `${where}${first?.message ?? 'invalid arguments'}`, {
    details: { issues: issues.slice(0, 10) },
  });
}
