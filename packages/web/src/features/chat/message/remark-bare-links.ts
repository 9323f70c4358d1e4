/** What is needed of a node of the tree of Markdown (mdast). */
interface MarkdownNode {
  readonly type: string;
  url?: string;
  value?: string;
  children?: MarkdownNode[];
  position?: { readonly start: Place; readonly end: Place } | undefined;
}

interface Place {
  readonly offset?: number | undefined;
}

/** Japanese text goes on without a space: at its punctuation, and at hiragana behind a letter or a digit. */
const END =
  /[\u3000-\u3003\u3008-\u3011\u3014-\u301f\uff01-\uff0f\uff1a-\uff1f\uff3b-\uff3d\uff5b-\uff65]|(?<=[A-Za-z0-9])[\u3041-\u3096]/;

/** So many times its length is read of a text: each time all that stands behind an address. Then it stays as it is written. */
const MAX_READ_AGAIN = 20;

/** The processor of the text. */
interface Processor {
  parse(text: string): MarkdownNode;
}

/**
 * Ends links that are written as bare addresses where the address ends. GFM ends them at the next space: what followed is read
 * again, as it may hold emphasis and further links.
 */
export function remarkBareLinks(this: Processor) {
  return (tree: MarkdownNode, file: { readonly value: unknown }) => {
    const source = String(file.value);
    let left = MAX_READ_AGAIN * source.length;
    const ended = (node: MarkdownNode): MarkdownNode[] => {
      const cut = cutLink(node, source);
      if (!cut) return [node];
      left -= cut.rest.length;
      const rest = left < 0 ? [textOf(cut.rest)] : (this.parse(cut.rest).children?.[0]?.children ?? []);
      for (const one of rest) shift(one, cut.at);
      return [cut.link, ...rest.flatMap(ended)];
    };
    const visit = (node: MarkdownNode) => {
      if (!node.children) return;
      node.children = node.children.flatMap(ended);
      for (const child of node.children) visit(child);
    };
    visit(tree);
  };
}

/** The link as far as the address goes, and what stands behind it; undefined: nothing is to be cut. */
function cutLink(node: MarkdownNode, source: string) {
  const [text, ...others] = node.children ?? [];
  if (node.type !== 'link' || text?.type !== 'text' || others.length > 0) return undefined;
  const written = text.value ?? '';
  const start = node.position?.start.offset ?? 0;
  // In <angle brackets> it says itself where it ends.
  const isBare = source.startsWith(written, start) && node.url?.endsWith(written);
  const end = isBare ? written.search(END) : -1;
  if (end <= 0) return undefined;
  const rest = written.slice(end);
  const link: MarkdownNode = {
    ...node,
    url: node.url?.slice(0, -rest.length) ?? '',
    children: [{ ...text, value: written.slice(0, end) }],
  };
  return { link, rest, at: start + end };
}

function textOf(value: string): MarkdownNode {
  return { type: 'text', value, position: { start: { offset: 0 }, end: { offset: value.length } } };
}

/** To its place in the whole text. */
function shift(node: MarkdownNode, by: number): void {
  const { position } = node;
  if (position) {
    const to = ({ offset = 0 }: Place) => ({ offset: offset + by });
    node.position = { start: to(position.start), end: to(position.end) };
  }
  for (const child of node.children ?? []) shift(child, by);
}
