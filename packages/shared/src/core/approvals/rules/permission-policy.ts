import type { ApprovalKind } from './approval-states.ts';

/** Of a project: which requests of its agents a person is asked about. */
export const PERMISSION_POLICIES = ['ask', 'allow_edits', 'deny'] as const;
export type PermissionPolicy = (typeof PERMISSION_POLICIES)[number];

/** What the policy decides at once, without a person; null: a person decides. */
export function decideByPolicy(
  policy: PermissionPolicy,
  kind: ApprovalKind,
): { readonly state: 'allowed_once' | 'denied'; readonly policy: 'allow_edits' | 'deny' } | null {
  if (policy === 'deny') return { state: 'denied', policy };
  if (policy === 'allow_edits' && kind === 'edit') return { state: 'allowed_once', policy };
  return null;
}
