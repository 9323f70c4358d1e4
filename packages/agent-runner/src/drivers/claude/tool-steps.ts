import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { z } from 'zod';
import type { Step } from '../../turn-events.ts';
import type { ClaudeBlock } from './claude-message.ts';
import { fileDiff, shownPath } from './file-diff.ts';
import { ownTool } from './model-tools.ts';
import type { ClaudeTexts } from './texts-shape.ts';

export type ToolUse = Extract<ClaudeBlock, { type: 'tool_use' }>;
export type ToolResult = Extract<ClaudeBlock, { type: 'tool_result' }>;

export interface StepView {
  readonly texts: ClaudeTexts;
  readonly cwd: string;
}

/** A map, because a model may call a tool by any name: an object knows "constructor". */
const KINDS: ReadonlyMap<string, Step['kind']> = new Map([
  ['Bash', 'command'],
  ['Read', 'read'],
  ['Edit', 'edit'],
  ['Write', 'edit'],
  ['NotebookEdit', 'edit'],
  ['Grep', 'search'],
  ['Glob', 'search'],
  ['WebSearch', 'search'],
  ['WebFetch', 'search'],
]);

/** A card shows it, or it says nothing to a person. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['AskUserQuestion', 'ToolSearch']);

const MAX_TITLE_LENGTH = 120;

const resultSchema = z.object({
  type: z.string().optional(),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
});
const textBlocks = z.array(z.object({ type: z.literal('text'), text: z.string() }));

/** Undefined: the tool is not shown as a step. */
export function startedStep(use: ToolUse, view: StepView): Step | undefined {
  if (NOT_SHOWN.has(use.name)) return undefined;
  const title = clipped(titleOf(use, view));
  return { id: use.id, kind: KINDS.get(use.name) ?? 'tool', title, status: 'running' };
}

/** `output` is the tool's own object, or a text when it failed. */
export function finishedStep(
  started: Step,
  use: ToolUse,
  result: ToolResult,
  output: unknown,
  view: StepView,
): Step {
  const detail = detailOf(use, result, output);
  const diff = started.kind === 'edit' ? fileDiff(output, view.cwd) : undefined;
  const isNew = diff !== undefined && resultSchema.safeParse(output).data?.type === 'create';
  return {
    ...started,
    ...(isNew && { title: clipped(view.texts.steps.created(diff.path)) }),
    status: result.is_error ? 'failed' : 'done',
    ...(detail !== undefined && { detail }),
    ...(diff !== undefined && { diff }),
  };
}

function titleOf({ name, input }: ToolUse, { texts, cwd }: StepView): string {
  const { steps } = texts;
  const said = (key: string) => textIn(input, key);
  const file = () => shownPath(said('file_path') || said('notebook_path'), cwd);
  switch (name) {
    case 'Bash':
      return steps.ran(said('command').trim().split('\n', 1).join());
    case 'Read':
      return steps.read(file());
    case 'Edit':
    case 'Write':
    case 'NotebookEdit':
      return steps.edited(file());
    case 'Grep':
    case 'Glob':
      return steps.searched(said('pattern'));
    case 'WebSearch':
      return steps.searched(said('query'));
    case 'WebFetch':
      return steps.fetched(said('url'));
    case 'Task':
    case 'Agent':
      return steps.delegated(said('description'));
    case 'Skill':
      return steps.skill(said('skill') || said('command'));
    default:
      return otherTitle(name, texts);
  }
}

function otherTitle(name: string, { steps }: ClaudeTexts): string {
  const own = ownTool(name);
  if (own) return steps.own[own] ?? TOOLS[own].title;
  const [prefix, server, ...tool] = name.split('__');
  return prefix === 'mcp' && server ? `${server}: ${tool.join('__')}` : name;
}

function detailOf(use: ToolUse, result: ToolResult, output: unknown): string | undefined {
  // A file that was read is on the disk; a change is shown as its diff.
  if (!result.is_error && ['read', 'edit'].includes(KINDS.get(use.name) ?? '')) return undefined;
  const said = use.name === 'Bash' ? commandOutput(output) : undefined;
  const text =
    said ?? (typeof output === 'string' ? output.replace(/^Error: /, '') : contentOf(result.content));
  const command = textIn(use.input, 'command').trim();
  const shown = use.name === 'Bash' && command.includes('\n') ? `${command}\n\n${text}` : text;
  return shown.trim() === '' ? undefined : shown;
}

function commandOutput(output: unknown): string | undefined {
  const { data } = resultSchema.safeParse(output);
  if (data?.stdout === undefined) return undefined;
  return [data.stdout, data.stderr].filter(Boolean).join('\n');
}

function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const { data = [] } = textBlocks.safeParse(content);
  return data.map(({ text }) => text).join('\n');
}

function textIn(input: Readonly<Record<string, unknown>>, key: string): string {
  const value = input[key];
  return typeof value === 'string' ? value : '';
}

function clipped(title: string): string {
  return title.length <= MAX_TITLE_LENGTH ? title : `${title.slice(0, MAX_TITLE_LENGTH - 1)}…`;
}
