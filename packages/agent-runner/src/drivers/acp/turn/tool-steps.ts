import { relative, sep } from 'node:path';
import type { ToolCall, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { isWorkspaceTool } from '@aizuchi/shared/contract/tools/workspace-tools';
import { z } from 'zod';
import type { Step } from '../../../turn-events.ts';
import type { KnownAgent } from '../known-agents.ts';
import type { AcpTexts } from '../texts/texts-shape.ts';
import { toolNameOf } from './tool-name.ts';

export type Call = ToolCall | ToolCallUpdate;

const KINDS: Readonly<Record<string, Step['kind']>> = {
  read: 'read',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  search: 'search',
  fetch: 'search',
  execute: 'command',
  think: 'thought',
  switch_mode: 'other',
};
const STATUSES: Readonly<Record<string, Step['status']>> = {
  pending: 'running',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
};

/** Codex sends the output of a command beside the call, piece by piece. */
const terminalMetaSchema = z.object({ terminal_output_delta: z.object({ data: z.string() }) });
const MAX_OUTPUT_LENGTH = 64 * 1024;

/** A tool call as far as it is known: an update carries only what has changed. */
export interface KnownCall {
  readonly id: string;
  readonly call: ToolCallUpdate;
  readonly output: string;
}

export interface StepView {
  readonly cwd: string;
  readonly known: Pick<KnownAgent, 'noise' | 'ownTool'>;
  readonly texts: Pick<AcpTexts['steps'], 'unknownTool' | 'own'>;
}

/** The tool calls of one turn, by the ids of the agent. Calls that were never announced are accepted. */
export class ToolSteps {
  readonly #calls = new Map<string, KnownCall>();
  readonly #view: StepView;

  constructor(view: StepView) {
    this.#view = view;
  }

  merge(update: Call): KnownCall {
    const { toolCallId: id } = update;
    const known = this.#calls.get(id);
    const changed = Object.fromEntries(
      Object.entries(update).filter(([, value]) => value !== undefined && value !== null),
    );
    // An empty list replaces nothing.
    const content = update.content && update.content.length > 0 ? update.content : known?.call.content;
    const call: ToolCallUpdate = { ...known?.call, ...changed, toolCallId: id, content: content ?? [] };
    const piece = terminalMetaSchema.safeParse(update._meta).data?.terminal_output_delta.data ?? '';
    const whole = { id, call, output: ((known?.output ?? '') + piece).slice(-MAX_OUTPUT_LENGTH) };
    this.#calls.set(id, whole);
    return whole;
  }

  /** The call as steps: one, and one more for each further file that it changes. None for what a card shows. */
  stepsOf({ id, call, output }: KnownCall): Step[] {
    // A card shows it.
    if (toolNameOf(call) === 'AskUserQuestion' || this.ownToolOf(call) === 'ask_user_question') return [];
    const [diff, ...others] = diffsOf(call.content ?? [], this.#view.cwd);
    const kind = this.#kindOf(call, diff !== undefined);
    const status = statusOf(call);
    const detail = this.#detailOf(call, output, kind, status);
    const title = this.#titleOf(call);
    return [
      { id, kind, title, status, ...(detail !== undefined && { detail }), ...(diff && { diff }) },
      ...others.map((other, index) => ({
        id: `${id}:${index + 2}`,
        kind: 'edit' as const,
        title: other.path,
        status,
        diff: other,
      })),
    ];
  }

  /** Nothing more comes of the calls that are still open. */
  close(status: 'done' | 'failed'): Step[] {
    const open = [...this.#calls.values()].filter(({ call }) => statusOf(call) === 'running');
    return open.flatMap(({ id }) =>
      this.stepsOf(this.merge({ toolCallId: id, status: status === 'done' ? 'completed' : 'failed' })),
    );
  }

  /** The tool of our own server that is called; undefined: it is not ours. */
  ownToolOf(call: ToolCallUpdate): string | undefined {
    const name = this.#view.known.ownTool(call);
    return name !== undefined && isWorkspaceTool(name) ? name : undefined;
  }

  #kindOf(call: ToolCallUpdate, hasDiff: boolean): Step['kind'] {
    if (hasDiff) return 'edit';
    return this.ownToolOf(call) ? 'tool' : (KINDS[call.kind ?? ''] ?? 'tool');
  }

  #titleOf(call: ToolCallUpdate): string {
    const { own, unknownTool } = this.#view.texts;
    const tool = this.ownToolOf(call);
    return (tool && own[tool]) || call.title?.trim() || call.name || unknownTool;
  }

  #detailOf(call: ToolCallUpdate, output: string, kind: Step['kind'], status: Step['status']) {
    // A file that was read is on the disk; a change is shown as its diff; what our tools return is on the page.
    const isKnown = kind === 'read' || kind === 'edit' || this.ownToolOf(call) !== undefined;
    if (status !== 'failed' && isKnown) return undefined;
    const text = textOf(call.content ?? []);
    const { noise } = this.#view.known;
    const said = (noise ? text.replace(noise, '') : text) || output || rawText(call.rawOutput);
    return said.trim() === '' ? undefined : unfenced(said);
  }
}

/** The texts of a call, one below the other. */
export function textOf(content: readonly ToolCallContent[]): string {
  return content
    .flatMap((part) => (part.type === 'content' && part.content.type === 'text' ? [part.content.text] : []))
    .join('\n');
}

export function diffsOf(content: readonly ToolCallContent[], cwd: string): NonNullable<Step['diff']>[] {
  return content.flatMap((part) =>
    part.type === 'diff'
      ? [{ path: shownPath(part.path, cwd), before: part.oldText ?? '', after: part.newText }]
      : [],
  );
}

/** Relative to the working directory, when the file is in it. */
function shownPath(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside === '' || inside === '..' || inside.startsWith(`..${sep}`) ? path : inside;
}

function statusOf({ status }: ToolCallUpdate): Step['status'] {
  return STATUSES[status ?? ''] ?? 'running';
}

const rawSchema = z.union([
  z.string(),
  z.object({ output: z.string() }).transform(({ output }) => output),
  z.object({ stdout: z.string() }).transform(({ stdout }) => stdout),
]);

function rawText(raw: unknown): string {
  return rawSchema.safeParse(raw).data ?? '';
}

/** Some agents put the output of a command into a block of Markdown. */
function unfenced(text: string): string {
  return /^```\w*\n([\s\S]*?)\n?```$/.exec(text.trim())?.[1] ?? text;
}
