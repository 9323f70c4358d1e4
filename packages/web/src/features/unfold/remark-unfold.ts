import { productLinkOf } from './product-link.ts';

/** Of one message; further links stay as they are. */
const MAX_UNFOLDED = 4;

/** What is needed of a node of the tree of Markdown (mdast). */
interface MarkdownNode {
  readonly type: string;
  readonly url?: string;
  readonly children?: readonly MarkdownNode[];
  data?: { hProperties?: Readonly<Record<string, string>> };
}

/** Marks the first links to tasks, runs and messages of this product. */
export function remarkUnfold(origin: string) {
  return (tree: MarkdownNode) => {
    let left = MAX_UNFOLDED;
    const visit = (node: MarkdownNode) => {
      if (left > 0 && node.type === 'link' && productLinkOf(node.url ?? '', origin)) {
        node.data = { hProperties: { dataUnfold: 'true' } };
        left -= 1;
      }
      for (const child of node.children ?? []) visit(child);
    };
    visit(tree);
  };
}
