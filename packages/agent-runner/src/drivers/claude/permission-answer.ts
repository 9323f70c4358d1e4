import type { PermissionResult, PermissionUpdate } from '@anthropic-ai/claude-agent-sdk/core';
import type { ApprovalOutcome } from '../../driver.ts';
import type { AllowedCalls } from '../session-scope.ts';

type Input = Record<string, unknown>;

/** The decision, as Claude Code takes it. `rules`: what it may remember when that was allowed for the session. */
export function permitted(
  { decision, note }: ApprovalOutcome,
  input: Input,
  rules: PermissionUpdate[],
): PermissionResult {
  switch (decision) {
    case 'allow_once':
      return { behavior: 'allow', updatedInput: input };
    case 'allow_session':
      return { behavior: 'allow', updatedInput: input, updatedPermissions: rules };
    case 'deny':
      return {
        behavior: 'deny',
        message: note
          ? `The permission was refused, with this note: ${note}`
          : 'The permission was refused. Do without it, or ask what to do instead.',
      };
    case 'timeout':
      return { behavior: 'deny', message: 'Nobody permitted it in time. Do without it, and say so.' };
    case 'cancelled':
      return { behavior: 'deny', message: 'The request for this permission was cancelled.' };
    case 'unavailable':
      return {
        behavior: 'deny',
        message: 'Nobody can be asked for this permission here. Do without it, and say so.',
      };
  }
}

/**
 * The rules for this tool, for the session. Nothing is written to the settings of the host. The other suggestions open
 * whole folders, or a mode in which edits and commands such as rm are not asked for.
 */
export function rulesForSession(
  tool: string,
  suggestions: readonly PermissionUpdate[] = [],
): PermissionUpdate[] {
  return suggestions.flatMap((update) => {
    if (update.type !== 'addRules' || update.behavior !== 'allow') return [];
    const rules = update.rules.filter(({ toolName }) => toolName === tool);
    return rules.length > 0 ? [{ ...update, rules, destination: 'session' as const }] : [];
  });
}

export function callsOf(rules: readonly PermissionUpdate[]): AllowedCalls[] {
  return rules.flatMap((update) =>
    update.type === 'addRules'
      ? update.rules.map(({ toolName, ruleContent }) => ({ tool: toolName, content: ruleContent }))
      : [],
  );
}
