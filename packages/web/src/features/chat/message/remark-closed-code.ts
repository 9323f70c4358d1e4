/** What is needed of a node of the tree of Markdown (mdast). */
interface MarkdownNode {
  readonly type: string;
  readonly children?: readonly MarkdownNode[];
  readonly position?: { readonly start: Point; readonly end: Point };
  data?: { hProperties?: Readonly<Record<string, string>> };
}

interface Point {
  readonly offset?: number;
}

/** At least two lines; in a quote or a list something stands before the fence. */
const CLOSED = /\n[^\n]*(?:```|~~~)\s*$/;

/** Marks the blocks of code whose fence is closed. In an answer that is being written the others may still grow. */
export function remarkClosedCode() {
  return (tree: MarkdownNode, file: { readonly value: unknown }) => {
    const source = String(file.value);
    const visit = (node: MarkdownNode) => {
      if (node.type === 'code' && CLOSED.test(sourceOf(node, source)))
        node.data = { hProperties: { dataClosed: 'true' } };
      for (const child of node.children ?? []) visit(child);
    };
    visit(tree);
  };
}

function sourceOf({ position }: MarkdownNode, source: string): string {
  return source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
}
