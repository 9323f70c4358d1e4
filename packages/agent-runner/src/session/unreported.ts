import { randomUUID } from 'node:crypto';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import type { TurnUsage } from '../turn/turn-usage.ts';

/** The session ends meanwhile: it does not wait longer. */
const LIMIT_MS = 2_000;

/** What a model has cost without an answer that is handed in. It is counted all the same. */
export class Unreported {
  readonly #client: ToolClient;
  readonly #log: (sentence: string) => void;

  constructor(client: ToolClient, log: (sentence: string) => void) {
    this.#client = client;
    this.#log = log;
  }

  /** Never rejects: what is not counted is in the log of the run. */
  async usage(cost: TurnUsage | undefined): Promise<void> {
    if (!cost) return;
    try {
      // An interim word without a word: it answers nothing.
      const call = { ...cost, done: false, target_agent_id: 'user', idempotency_key: randomUUID() };
      await this.#client.callUntilAnswered('respond_chat', call, { signal: AbortSignal.timeout(LIMIT_MS) });
    } catch (error) {
      const { usage, model = 'unknown model' } = cost;
      const { input_tokens: input, output_tokens: output, duration_ms: ms } = usage;
      this.#log(`usage is not counted: ${model}, ${input} tokens in, ${output} out, ${ms} ms: ${error}`);
    }
  }
}
