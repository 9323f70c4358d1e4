import type { ApprovalOutcome, ApprovalRequest } from '../driver.ts';
import type { Step, Usage } from '../turn-events.ts';

/**
 * What drivers report and ask, and the server has no tool for yet: `report_step`, usage in `respond_chat`,
 * `request_approval`. It goes to the log of the run. Each of these functions becomes a call of its tool.
 */
export class Unreported {
  readonly #log: (sentence: string) => void;

  constructor(log: (sentence: string) => void) {
    this.#log = log;
  }

  step({ kind, title, status }: Step): void {
    this.#log(`step: ${kind} "${title}" ${status}`);
  }

  /** Nobody can be asked, so nothing is permitted. */
  async approve({ tool, summary }: ApprovalRequest): Promise<ApprovalOutcome> {
    this.#log(`permission to use ${tool} refused, because no person can be asked yet: ${summary}`);
    return { decision: 'unavailable' };
  }

  usage(usage: Usage, durationMs: number): void {
    const { model = 'unknown model', inputTokens, outputTokens, cacheReadTokens, costUsd } = usage;
    const cached = cacheReadTokens === undefined ? '' : `, ${cacheReadTokens} read from the cache`;
    const cost = costUsd === undefined ? '' : `, ${costUsd} USD`;
    this.#log(
      `usage: ${model}, ${inputTokens} tokens in${cached}, ${outputTokens} out${cost}, ${Math.round(durationMs)} ms`,
    );
  }
}
