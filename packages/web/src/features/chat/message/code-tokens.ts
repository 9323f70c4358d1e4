import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';

export interface CodeToken {
  readonly text: string;
  /** Undefined: the colour of the text. */
  readonly className: string | undefined;
}

const lowlight = createLowlight({
  bash,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
});

/** By the first word after `hljs-`. */
const COLOURS: Readonly<Record<string, string>> = {
  ...colour('text-ansi-dim', 'comment quote meta'),
  ...colour('text-ansi-magenta', 'keyword doctag selector-tag'),
  ...colour('text-ansi-green', 'string regexp addition'),
  ...colour('text-ansi-yellow', 'number literal symbol bullet'),
  ...colour('text-ansi-blue', 'title section name'),
  ...colour('text-ansi-cyan', 'attr attribute built_in property selector-class selector-id type variable'),
  ...colour('text-ansi-red', 'deletion'),
};

function colour(className: string, kinds: string): Record<string, string> {
  return Object.fromEntries(kinds.split(' ').map((kind) => [`hljs-${kind}`, className]));
}

export function knowsLanguage(language: string): boolean {
  return lowlight.registered(language);
}

/**
 * The text in pieces of one colour; joined they are the text. `language`: one that it knows. Never fails: thousands of
 * templates within each other overflow the stack, and others write the text.
 */
export function codeTokens(language: string, text: string): CodeToken[] {
  try {
    const tokens: CodeToken[] = [];
    collect(lowlight.highlight(language, text).children, undefined, tokens);
    return tokens;
  } catch {
    return [{ text, className: undefined }];
  }
}

type Nodes = ReturnType<typeof lowlight.highlight>['children'];

/** What stands within a coloured piece has its colour, unless it has one of its own. */
function collect(nodes: Nodes, className: string | undefined, into: CodeToken[]): void {
  for (const node of nodes) {
    if (node.type === 'text') into.push({ text: node.value, className });
    if (node.type === 'element')
      collect(node.children, colourOf(node.properties.className) ?? className, into);
  }
}

function colourOf(names: unknown): string | undefined {
  const [first] = Array.isArray(names) ? names : [];
  return COLOURS[String(first)];
}
