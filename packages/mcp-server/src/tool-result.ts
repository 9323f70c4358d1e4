/** What a result holds besides its structured content, for clients that can use it. */
export type AttachedContent =
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
    };

/** The result of tools/call, in the form of both protocol generations. */
export interface ToolResult {
  readonly content: ({ type: 'text'; text: string } | AttachedContent)[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
}

/** Structured content, the same content as text for clients that read only text, and what was attached to it. */
export function toolResult(
  structured: Record<string, unknown>,
  attached: readonly AttachedContent[] = [],
): ToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(structured) }, ...attached],
    structuredContent: structured,
  };
}
