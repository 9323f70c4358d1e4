import type { ToolName } from '@aizuchi/shared/contract/tools/tool-texts';
import type { ToolInput } from '@aizuchi/shared/contract/tools/tools';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import type { Logger } from '@aizuchi/shared/platform/logger';

export type ReportTool = Extract<
  ToolName,
  'report_process_started' | 'report_process_exit' | 'report_changes' | 'report_agent_error'
>;

/**
 * The result of a report: `lost` = the run is no longer ours; `given_up` = this process had to end before.
 */
export type ReportOutcome = 'accepted' | 'lost' | 'refused' | 'given_up';

/** The server has given the run up, or does not know it, or another Coordinator has our id. */
const LOST_CODES = new Set(['run_lost', 'run_not_found', 'coordinator_id_taken']);

/**
 * Keeps reports and sends them again until the server has accepted them: those of one run in their order,
 * those of different runs in parallel.
 */
export class ReportQueue {
  readonly #client: ToolClient;
  readonly #logger: Logger;
  readonly #lastOfRun = new Map<string, Promise<ReportOutcome>>();
  readonly #gaveUp = new AbortController();

  constructor(client: ToolClient, logger: Logger) {
    this.#client = client;
    this.#logger = logger;
  }

  get waiting(): number {
    return this.#lastOfRun.size;
  }

  send<N extends ReportTool>(runId: string, tool: N, args: ToolInput<N>): Promise<ReportOutcome> {
    const before = this.#lastOfRun.get(runId);
    const sent = (before ?? Promise.resolve()).then(() => this.#deliver(runId, tool, args));
    const kept = sent.finally(() => {
      if (this.#lastOfRun.get(runId) === kept) this.#lastOfRun.delete(runId);
    });
    this.#lastOfRun.set(runId, kept);
    return kept;
  }

  /** This process is ending: no report is tried again. */
  giveUp(): void {
    this.#gaveUp.abort();
  }

  async #deliver<N extends ReportTool>(runId: string, tool: N, args: ToolInput<N>): Promise<ReportOutcome> {
    try {
      await this.#client.callUntilAnswered(tool, args, {
        signal: this.#gaveUp.signal,
        onRetry: (error, failures) => {
          if (failures === 1)
            this.#logger.warn({ runId, tool, reason: error.message }, 'report waits for the server');
        },
      });
      return 'accepted';
    } catch (error) {
      if (this.#gaveUp.signal.aborted) return 'given_up';
      if (error instanceof ToolRefused && LOST_CODES.has(error.code)) return 'lost';
      this.#logger.error({ err: error, runId, tool }, 'report not accepted');
      return 'refused';
    }
  }
}
