import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { ApprovalKind } from '@aizuchi/shared/core/approvals/rules/approval-states';
import type { ApprovalOutcome, ApprovalRequest } from '../../../driver.ts';
import { isPlainEdit } from '../../plain-edit.ts';
import { scopeOf } from '../../session-scope.ts';
import type { AcpTexts } from '../texts/texts-shape.ts';
import { toolNameOf } from './tool-name.ts';
import { diffsOf, textOf } from './tool-steps.ts';

type Options = readonly PermissionOption[];

/** What the person is shown. */
export async function approvalOf(
  call: ToolCallUpdate,
  cwd: string,
  texts: AcpTexts,
): Promise<ApprovalRequest & { readonly kind: ApprovalKind }> {
  const { title, kind, rawInput, locations } = call;
  const diffs = diffsOf(call.content ?? [], cwd);
  const text = textOf(call.content ?? []);
  const input = {
    ...(isRecord(rawInput) ? rawInput : rawInput !== undefined && { input: rawInput }),
    ...(text !== '' && rawInput === undefined && { text }),
    ...(diffs.length > 0 && { changes: diffs }),
    ...(locations && locations.length > 0 && { paths: locations.map(({ path }) => path) }),
  };
  const approvalKind = await approvalKindOf(call, cwd);
  const tool = toolNameOf(call) ?? kind ?? 'other';
  const summary = title?.trim() || texts.steps.unknownTool;
  return {
    tool,
    summary,
    input: Object.keys(input).length > 0 ? input : { title: summary },
    kind: approvalKind,
    sessionScope: scopeOf(approvalKind === 'edit' ? 'edits' : [], texts.scope),
  };
}

/** By it the policy of the project decides. */
async function approvalKindOf(call: ToolCallUpdate, cwd: string): Promise<ApprovalKind> {
  if (await isEditInside(call, cwd)) return 'edit';
  return call.kind === 'execute' ? 'command' : 'other';
}

/** Equal for the same tool with the same input. */
export function sameRequest(call: ToolCallUpdate): unknown {
  const { kind, title, rawInput, content } = call;
  return [toolNameOf(call), kind, title, rawInput, rawInput === undefined && content];
}

/**
 * The decision as an option of the agent, chosen by its kind: the ids are the agent's own. Never one that it remembers:
 * that would outlive a change of the policy, and often allows more than was asked.
 */
export function responseFor(
  { decision }: Pick<ApprovalOutcome, 'decision'>,
  options: RequestPermissionRequest['options'],
): RequestPermissionResponse {
  const chosen = optionFor(decision, options);
  return { outcome: chosen ? { outcome: 'selected', optionId: chosen.optionId } : { outcome: 'cancelled' } };
}

function optionFor(decision: ApprovalOutcome['decision'], options: Options): PermissionOption | undefined {
  switch (decision) {
    case 'allow_once':
    case 'allow_session':
      return options.find(({ kind }) => kind === 'allow_once');
    case 'cancelled':
      return undefined;
    case 'deny':
    case 'timeout':
    case 'unavailable':
      return options.find(({ kind }) => kind === 'reject_once');
  }
}

async function isEditInside({ kind, content, locations }: ToolCallUpdate, cwd: string): Promise<boolean> {
  if (kind !== 'edit') return false;
  const changed = (content ?? []).flatMap((part) => (part.type === 'diff' ? [part.path] : []));
  return isPlainEdit([...changed, ...(locations ?? []).map(({ path }) => path)], cwd);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
