import { resolveTarget, type TARGET_ALIASES } from '@aizuchi/shared/contract/tools/common';
import { AppError } from '@aizuchi/shared/platform/errors';

type Aliases = (typeof TARGET_ALIASES)[number];

/** Takes the four names of the other side from the arguments; two different values are an error. */
export function takeTarget<T extends { [K in Aliases]?: string | undefined }>(
  args: T,
): { targetAgentId?: string; rest: Omit<T, Aliases> } {
  const resolved = resolveTarget(args);
  if ('conflict' in resolved)
    throw new AppError(
      'invalid_input',
      `${resolved.conflict.join(' and ')} name different targets; give one.`,
      {
        details: { conflict: resolved.conflict },
      },
    );
  const { target_agent_id: _a, participant_agent_id: _b, target: _c, to: _d, ...rest } = args;
  return { rest, ...(resolved.target !== undefined && { targetAgentId: resolved.target }) };
}
