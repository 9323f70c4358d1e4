import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { ApprovalKind } from '@aizuchi/shared/core/approvals/rules/approval-states';
import type { ApprovalOutcome, ApprovalRequest } from '../../../driver.ts';
import { isPlainEdit } from '../../plain-edit.ts';
import { toolNameOf } from './tool-name.ts';
import { diffsOf, textOf } from './tool-steps.ts';

type Options = readonly PermissionOption[];

/** What the person is shown. */
export async function approvalOf(
  call: ToolCallUpdate,
  cwd: string,
  fallback: string,
): Promise<ApprovalRequest> {
  const { title, kind, rawInput, locations } = call;
  const diffs = diffsOf(call.content ?? [], cwd);
  const text = textOf(call.content ?? []);
  const input = {
    ...(isRecord(rawInput) ? rawInput : rawInput !== undefined && { input: rawInput }),
    ...(text !== '' && rawInput === undefined && { text }),
    ...(diffs.length > 0 && { changes: diffs }),
    ...(locations && locations.length > 0 && { paths: locations.map(({ path }) => path) }),
  };
  const tool = toolNameOf(call) ?? kind ?? 'other';
  const summary = title?.trim() || fallback;
  return {
    tool,
    summary,
    input: Object.keys(input).length > 0 ? input : { title: summary },
    kind: await approvalKindOf(call, cwd),
  };
}

/** By it the policy of the project decides. */
async function approvalKindOf(call: ToolCallUpdate, cwd: string): Promise<ApprovalKind> {
  if (await isEditInside(call, cwd)) return 'edit';
  return call.kind === 'execute' ? 'command' : 'other';
}

/** What a person has allowed for the session, for an agent that offers no such choice. */
export class SessionGrants {
  readonly #granted = new Set<string>();

  covers(call: ToolCallUpdate): boolean {
    return this.#granted.has(keyOf(call));
  }

  add(call: ToolCallUpdate): void {
    this.#granted.add(keyOf(call));
  }
}

/** The same tool with the same input. */
function keyOf(call: ToolCallUpdate): string {
  const { kind, title, rawInput, content } = call;
  return JSON.stringify([toolNameOf(call), kind, title, rawInput, rawInput === undefined && content]);
}

/** The decision as an option of the agent, chosen by its kind: the ids are the agent's own. */
export function responseFor(
  { decision }: Pick<ApprovalOutcome, 'decision'>,
  options: RequestPermissionRequest['options'],
): RequestPermissionResponse {
  const chosen = optionFor(decision, options);
  return { outcome: chosen ? { outcome: 'selected', optionId: chosen.optionId } : { outcome: 'cancelled' } };
}

/** The option that allows it for this session, and for no other. */
export function sessionOption(options: Options): PermissionOption | undefined {
  const always = options.filter(
    ({ kind, name }) =>
      kind === 'allow_always' && /session|conversation/i.test(name) && !/future/i.test(name),
  );
  // "Allow all tools of the server for this session" is more than was asked.
  return always.find(({ name }) => !/\ball\b/i.test(name)) ?? always[0];
}

function optionFor(decision: ApprovalOutcome['decision'], options: Options): PermissionOption | undefined {
  const once = options.find(({ kind }) => kind === 'allow_once');
  switch (decision) {
    case 'allow_once':
      return once;
    case 'allow_session':
      return sessionOption(options) ?? once;
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
