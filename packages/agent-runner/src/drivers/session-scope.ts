import type { Language } from '../language.ts';

/** A tool, and the calls of it that would be allowed; all of them without `content`. */
export interface AllowedCalls {
  readonly tool: string;
  readonly content?: string | undefined;
}

export interface ScopeTexts {
  readonly edits: string;
  readonly same: string;
  readonly beginning: (words: string) => string;
  readonly form: (pattern: string) => string;
  readonly command: (command: string) => string;
  readonly all: (tool: string) => string;
  readonly separator: string;
}

export const SCOPE_TEXTS: Readonly<Record<Language, ScopeTexts>> = {
  en: {
    edits: 'all changes of files in the working folder, except in .git, .claude and the like',
    same: 'exactly the same again',
    beginning: (words) => `commands that begin with “${words}”`,
    form: (pattern) => `commands of the form “${pattern}”`,
    command: (command) => `the command “${command}”`,
    all: (tool) => `every call of ${tool}`,
    separator: ', ',
  },
  ja: {
    edits: '作業フォルダー内のファイルの変更すべて（.git や .claude などを除く）',
    same: 'まったく同じ操作',
    beginning: (words) => `「${words}」で始まるコマンド`,
    form: (pattern) => `「${pattern}」の形のコマンド`,
    command: (command) => `コマンド「${command}」`,
    all: (tool) => `${tool} のすべての呼び出し`,
    separator: '、',
  },
};

/** What "for this session" allows, for the person who decides. Empty `calls`: the same request again. */
export function scopeOf(calls: 'edits' | readonly AllowedCalls[], texts: ScopeTexts): string {
  if (calls === 'edits') return texts.edits;
  return calls.map((call) => callsIn(call, texts)).join(texts.separator) || texts.same;
}

function callsIn({ tool, content }: AllowedCalls, texts: ScopeTexts): string {
  if (content === undefined) return texts.all(tool);
  if (tool !== 'Bash') return `${tool}(${content})`;
  const [, words] = /^([^*]+)(?: |:)\*$/.exec(content) ?? [];
  if (words !== undefined) return texts.beginning(words);
  return content.includes('*') ? texts.form(content) : texts.command(content);
}
