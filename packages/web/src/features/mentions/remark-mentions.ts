import { findMentions, type Mentionable } from '@aizuchi/shared/core/mentions/rules/find-mentions';

/** What is needed of a node of the tree of Markdown (mdast). */
interface MarkdownNode {
  readonly type: string;
  readonly value?: string;
  children?: MarkdownNode[];
  readonly position?: { readonly start: Place; readonly end: Place };
  readonly data?: { readonly hName: string; readonly hProperties: Readonly<Record<string, string>> };
}

interface Place {
  readonly offset?: number;
}

type Found = ReturnType<typeof findMentions>;

/** Makes each mention of a text a `mark`. What the server finds in the whole text is marked, where it stands as it is. */
export function remarkMentions(who: readonly Mentionable[]) {
  return (tree: MarkdownNode, { value }: { readonly value: unknown }) => {
    const source = String(value);
    const found = findMentions(source, who);
    if (found.length > 0) markIn(tree, source, found);
  };
}

function markIn(parent: MarkdownNode, source: string, found: Found): void {
  if (parent.type === 'link' || parent.type === 'linkReference') return;
  if (!parent.children) return;
  parent.children = parent.children.flatMap((child) => {
    if (child.type === 'text') return marked(child, source, found);
    markIn(child, source, found);
    return [child];
  });
}

function marked(text: MarkdownNode, source: string, found: Found): MarkdownNode[] {
  const { value = '' } = text;
  const from = text.position?.start.offset;
  const to = text.position?.end.offset;
  // With an escape in it the places are others.
  if (from === undefined || to === undefined || source.slice(from, to) !== value) return [text];
  const parts: MarkdownNode[] = [];
  let kept = 0;
  for (const { start, end, id } of found) {
    if (start < from || end > to) continue;
    parts.push({ type: 'text', value: value.slice(kept, start - from) });
    parts.push({
      type: 'emphasis',
      children: [{ type: 'text', value: value.slice(start - from, end - from) }],
      data: { hName: 'mark', hProperties: { title: id } },
    });
    kept = end - from;
  }
  return [...parts, { type: 'text', value: value.slice(kept) }];
}
