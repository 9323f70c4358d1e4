import type { Approval } from '@aizuchi/shared/contract/approval';

/** How the input of a tool is shown. Nothing of it is left out: what has no place of its own stands in `rest`. */
export type InputView =
  | { readonly kind: 'command'; readonly command: string; readonly rest: InputRest | undefined }
  | { readonly kind: 'edit'; readonly edits: readonly FileEdit[]; readonly rest: InputRest | undefined }
  | { readonly kind: 'json'; readonly json: string };

/** The other fields of an input: those first that contradict what is shown, then the unknown ones. */
export interface InputRest {
  readonly values: Values;
  /** Only these fields say nothing about what will be done, so they may be folded. */
  readonly isHarmless: boolean;
  /** Fields that name the same thing as what is shown, but another one: which of them the tool uses is not known. */
  readonly contradictory: readonly string[];
}

export interface FileEdit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

type Values = Readonly<Record<string, unknown>>;

const COMMAND_KEYS = ['command', 'cmd', 'script'] as const;
const PATH_KEYS = ['file_path', 'path', 'notebook_path', 'filePath'] as const;
const BEFORE_KEYS = ['old_string', 'oldText', 'old_text', 'before', 'old_str'] as const;
const AFTER_KEYS = [
  'new_string',
  'newText',
  'new_text',
  'after',
  'new_str',
  'content',
  'new_source',
] as const;

const NAMES: ReadonlySet<string> = new Set([...COMMAND_KEYS, ...PATH_KEYS, ...BEFORE_KEYS, ...AFTER_KEYS]);
/** They say why and for how long, not what: with a simple value no tool does anything else because of them. */
const HARMLESS: ReadonlySet<string> = new Set(['description', 'explanation', 'timeout', 'timeout_ms']);

export function viewOf({ kind, input }: Pick<Approval, 'kind' | 'input'>): InputView {
  return (kind === 'edit' ? editView(input) : commandView(input)) ?? { kind: 'json', json: jsonOf(input) };
}

/** What the line about a decision names: the command, the files, or nothing. */
export function subjectOf(approval: Pick<Approval, 'kind' | 'input'>): string | undefined {
  const view = viewOf(approval);
  if (view.kind === 'command') return view.command.replace(/\s+/g, ' ').trim();
  return view.kind === 'edit' ? [...new Set(view.edits.map(({ path }) => path))].join(', ') : undefined;
}

export function jsonOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}

/** Also for other kinds: an agent need not say that it wants to run a command. */
function commandView(input: unknown): InputView | undefined {
  if (!isValues(input)) return undefined;
  const key = COMMAND_KEYS.find((one) => isCommand(input[one]));
  if (key === undefined) return undefined;
  const value = input[key];
  const command = Array.isArray(value) ? value.map(argument).join(' ') : String(value);
  return { kind: 'command', command, rest: restOf(input, [key]) };
}

function isCommand(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((part) => typeof part === 'string');
  return typeof value === 'string' && value.trim() !== '';
}

/** An argument with spaces is quoted: else it would look like two. */
function argument(text: unknown): string {
  return /^[\w@%+=:,./-]+$/.test(String(text)) ? String(text) : JSON.stringify(text);
}

function editView(input: unknown): InputView | undefined {
  if (!isValues(input)) return undefined;
  const pathKey = PATH_KEYS.find((key) => typeof input[key] === 'string');
  if (pathKey === undefined) return undefined;
  const path = String(input[pathKey]);
  if (Array.isArray(input.edits)) {
    const edits = input.edits.map((edit) => changeIn(edit, path));
    if (edits.length === 0 || edits.some((edit) => edit === undefined || edit.hasMore)) return undefined;
    const known = edits.flatMap((edit) => edit?.edit ?? []);
    return { kind: 'edit', edits: known, rest: restOf(input, [pathKey, 'edits']) };
  }
  const change = changeIn(input, path);
  if (!change) return undefined;
  return { kind: 'edit', edits: [change.edit], rest: restOf(input, [pathKey, ...change.keys]) };
}

function changeIn(
  value: unknown,
  path: string,
): { edit: FileEdit; keys: readonly string[]; hasMore: boolean } | undefined {
  if (!isValues(value)) return undefined;
  const beforeKey = BEFORE_KEYS.find((key) => typeof value[key] === 'string');
  const afterKey = AFTER_KEYS.find((key) => typeof value[key] === 'string');
  if (afterKey === undefined) return undefined;
  const keys = beforeKey === undefined ? [afterKey] : [beforeKey, afterKey];
  const edit = {
    path,
    before: beforeKey === undefined ? '' : String(value[beforeKey]),
    after: String(value[afterKey]),
  };
  return { edit, keys, hasMore: Object.keys(value).length > keys.length };
}

/** What the input has beside the fields that are shown. */
function restOf(input: Values, shown: readonly string[]): InputRest | undefined {
  const rest = Object.entries(input).filter(([key]) => !shown.includes(key));
  if (rest.length === 0) return undefined;
  const told = new Set(shown.map((key) => JSON.stringify(input[key])));
  const isContradictory = ([key, value]: [string, unknown]) =>
    NAMES.has(key) && !told.has(JSON.stringify(value));
  const isHarmless = ([key, value]: [string, unknown]) =>
    NAMES.has(key) ? told.has(JSON.stringify(value)) : HARMLESS.has(key) && typeof value !== 'object';
  const doubt = (entry: [string, unknown]) => (isContradictory(entry) ? 0 : isHarmless(entry) ? 2 : 1);
  return {
    values: Object.fromEntries(rest.toSorted((a, b) => doubt(a) - doubt(b))),
    isHarmless: rest.every(isHarmless),
    contradictory: rest.filter(isContradictory).map(([key]) => key),
  };
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
