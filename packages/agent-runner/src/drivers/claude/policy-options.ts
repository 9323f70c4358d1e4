import type { Options } from '@anthropic-ai/claude-agent-sdk/core';
import type { Permissions } from './permissions.ts';

/** Who permits what: a person, by the policy of the project. */
export function policyOptions({
  canUseTool,
  beforeTool,
}: Pick<Permissions, 'canUseTool' | 'beforeTool'>): Partial<Options> {
  return {
    canUseTool,
    hooks: { PreToolUse: [{ hooks: [beforeTool] }] },
    // Also under `allow_edits`: in `acceptEdits` commands such as rm and mv are not asked for either.
    permissionMode: 'default',
  };
}
