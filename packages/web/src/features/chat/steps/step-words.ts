import type { Step } from '@aizuchi/shared/contract/step';

/** What a line says: a verb of the catalog and its subject, or the agent's own title as it stands. */
export type StepWords =
  | { readonly verb: Verb; readonly subject: string; readonly full: string }
  | { readonly verb: 'thought' }
  | { readonly verb: 'as_said'; readonly title: string; readonly isCode: boolean };

export type Verb = 'read' | 'searched' | 'edited' | 'created' | 'deleted' | 'ran';

/** Agents write titles in their own words: these are taken off, and the reader's language is put around the rest. */
const VERBS: Readonly<Partial<Record<Step['kind'], RegExp>>> = {
  read: /^(?:read(?:ing)?(?: file)?)\s+(?<en>.+)$|^(?<ja>.+?)\s*を(?:読み込み|読み取り|読んだ|読む|確認)(?:中|ました)?$/iu,
  search:
    /^(?:search(?:ed|ing)?(?: for)?|grep|glob|find(?:ing)?)\s+(?<en>.+)$|^(?<ja>.+?)\s*を検索(?:中|しました)?$/iu,
  edit: /^(?:edit(?:ed|ing)?|creat(?:e|ed|ing)|writ(?:e|ing)|wrote|updat(?:e|ed|ing)|delet(?:e|ed|ing))\s+(?<en>.+)$|^(?<ja>.+?)\s*を(?:編集|作成|更新|削除|書き込み)(?:中|しました)?$/iu,
  command: /^(?:ran|run(?:ning)?|execut(?:e|ed|ing)|\$)\s+(?<en>.+)$|^(?<ja>.+?)\s*を実行(?:中|しました)?$/u,
};
const COMMAND_WITH_CAPITAL = /^(?:Ran|Run|Running|Executed|Executing|Execute)\s+(?<en>.+)$/u;
const THOUGHT = /^(?:thought|thinking|think|思考|考え中)$/iu;

export function wordsOf(step: Pick<Step, 'kind' | 'title' | 'diff'>): StepWords {
  const { kind, diff } = step;
  const title = step.title.trim();
  if (kind === 'thought' && THOUGHT.test(title)) return { verb: 'thought' };
  if (diff) return { verb: editVerb(diff), subject: baseName(diff.path), full: diff.path };
  const said = subjectIn(kind, title);
  if (kind === 'command') {
    if (said !== undefined) return { verb: 'ran', subject: said, full: said };
    return { verb: 'as_said', title: unquoted(title), isCode: true };
  }
  if (kind === 'search' && said !== undefined) return { verb: 'searched', subject: said, full: said };
  if (kind === 'read' || kind === 'edit') {
    const path = said ?? title;
    if (said !== undefined || isPath(path)) {
      const full = unquoted(path);
      return { verb: kind === 'read' ? 'read' : 'edited', subject: baseName(full), full };
    }
  }
  return { verb: 'as_said', title, isCode: false };
}

function subjectIn(kind: Step['kind'], title: string): string | undefined {
  const groups =
    (kind === 'command' ? COMMAND_WITH_CAPITAL.exec(title) : undefined)?.groups ??
    VERBS[kind]?.exec(title)?.groups;
  const subject = groups?.en ?? groups?.ja;
  if (subject !== undefined) return unquoted(subject);
  return /^`[^`]+`$/.test(title) ? unquoted(title) : undefined;
}

function editVerb({ before, after }: NonNullable<Step['diff']>): 'created' | 'deleted' | 'edited' {
  if (before === '' && after !== '') return 'created';
  return after === '' && before !== '' ? 'deleted' : 'edited';
}

/** Without spaces, and with a dot or a slash, as names of files are. */
function isPath(text: string): boolean {
  return /^\S+$/.test(text) && /[./\\]/.test(text);
}

function unquoted(text: string): string {
  return /^([`'"])(.+)\1$/.exec(text.trim())?.[2] ?? text.trim();
}

function baseName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}
