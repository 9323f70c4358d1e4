/** What is needed of a node of the tree of Markdown (mdast). */
interface MarkdownNode {
  readonly type: string;
  url?: string;
  value?: string;
  children?: MarkdownNode[];
  readonly position?: { readonly start: Place; readonly end: Place };
}

interface Place {
  readonly offset?: number;
}

/** Japanese text goes on without a space: at its punctuation, and at hiragana behind a letter or a digit. */
const END =
  /[\u3000-\u3003\u3008-\u3011\u3014-\u301f\uff01-\uff0f\uff1a-\uff1f\uff3b-\uff3d\uff5b-\uff65]|(?<=[A-Za-z0-9])[\u3041-\u3096]/;

/** Ends links that are written as bare addresses where the address ends. GFM ends them at the next space. */
export function remarkBareLinks() {
  return (tree: MarkdownNode, file: { readonly value: unknown }) => {
    const source = String(file.value);
    const visit = (node: MarkdownNode) => {
      if (!node.children) return;
      node.children = node.children.flatMap((child) => endsInTime(child, source));
      for (const child of node.children) visit(child);
    };
    visit(tree);
  };
}

function endsInTime(node: MarkdownNode, source: string): MarkdownNode[] {
  const [text, ...others] = node.children ?? [];
  if (node.type !== 'link' || text?.type !== 'text' || others.length > 0) return [node];
  const written = text.value ?? '';
  const start = node.position?.start.offset ?? 0;
  // In <angle brackets> it says itself where it ends.
  const isBare = source.startsWith(written, start) && node.url?.endsWith(written);
  const end = isBare ? written.search(END) : -1;
  if (end <= 0) return [node];
  const rest = written.slice(end);
  const url = node.url?.slice(0, -rest.length);
  return [
    { ...node, ...(url !== undefined && { url }), children: [{ ...text, value: written.slice(0, end) }] },
    {
      type: 'text',
      value: rest,
      position: { start: { offset: start + end }, end: { offset: start + written.length } },
    },
  ];
}
