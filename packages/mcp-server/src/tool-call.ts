import type { Exchange } from './exchange.ts';
import type { ToolContext } from './tool-context.ts';
import type { AttachedContent } from './tool-result.ts';

/** One call of a tool: the process that runs it, and the HTTP exchange that carries it. */
export interface ToolCall {
  readonly context: ToolContext;
  readonly exchange: Exchange;
  /**
   * Runs when the result was written to a live connection, to record that; does not run when the call fails.
   */
  afterDelivery(sessionId: string, record: () => Promise<void>): void;
  /** Adds an image or a file to the result; not when the call fails. */
  attach(content: AttachedContent): void;
}
