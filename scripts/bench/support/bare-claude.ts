import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type SDKUserMessage, startup } from '@anthropic-ai/claude-agent-sdk/core';
import { AsyncQueue } from '../../../packages/agent-runner/src/drivers/claude/async-queue.ts';
import { parseClaudeMessage } from '../../../packages/agent-runner/src/drivers/claude/claude-message.ts';

/** Claude Code without the product. */
export interface ClaudePlace {
  readonly executable: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The Agent SDK alone: one warm streaming session. */
export class BareSession {
  readonly #input = new AsyncQueue<SDKUserMessage>();
  readonly #read: Promise<void>;
  #onText: (at: number) => void = () => undefined;
  #onEnd: () => void = () => undefined;

  private constructor(query: (input: AsyncIterable<SDKUserMessage>) => AsyncIterable<unknown>) {
    this.#read = this.#readAll(query(this.#input));
  }

  static async start({ executable, cwd, env }: ClaudePlace): Promise<BareSession> {
    const options = {
      pathToClaudeCodeExecutable: executable,
      cwd,
      env: { ...env },
      includePartialMessages: true,
      settingSources: [],
      // Without a title the first message costs a request more.
      title: 'bench',
    };
    const warm = await startup({ options });
    return new BareSession((input) => warm.query(input));
  }

  /** Pushes a message; resolves at the end of the turn with the moment at which the first text was here. */
  async say(text: string): Promise<number> {
    const firstText = Promise.withResolvers<number>();
    const end = Promise.withResolvers<void>();
    this.#onText = firstText.resolve;
    this.#onEnd = end.resolve;
    this.#input.push({ type: 'user', parent_tool_use_id: null, message: { role: 'user', content: text } });
    const over = this.#read.then(() => Promise.reject(new Error('Claude Code ended.')));
    const [at] = await Promise.race([Promise.all([firstText.promise, end.promise]), over]);
    return at;
  }

  async close(): Promise<void> {
    this.#input.end();
    await this.#read;
  }

  async #readAll(messages: AsyncIterable<unknown>): Promise<void> {
    for await (const given of messages) {
      const at = performance.now();
      const message = parseClaudeMessage(given);
      if (message.type === 'stream_event' && message.event.type === 'content_block_delta') this.#onText(at);
      if (message.type === 'result') this.#onEnd();
    }
  }
}

/** `claude -p` for one message; resolves when it has ended, with the moment of its first output. */
export async function printOnce({ executable, cwd, env }: ClaudePlace, text: string): Promise<number> {
  const args = ['-p', text, '--setting-sources', '', '--strict-mcp-config', '--no-session-persistence'];
  const child = spawn(executable, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let firstText = Number.NaN;
  child.stdout.once('data', () => {
    firstText = performance.now();
  });
  child.stdout.resume();
  const [code] = await exited;
  if (code !== 0) throw new Error(`claude -p ended with ${code}`);
  return firstText;
}
