import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { ProgramFinder } from './program-finder.ts';

export interface ProgramReportsOptions {
  readonly finder: Pick<ProgramFinder, 'look'>;
  readonly client: Pick<ToolClient, 'call'>;
  readonly self: { readonly coordinator_id: string; readonly instance_id: string };
  readonly logger: Logger;
}

/** Answers a person who wants to know which programs this host has. */
export class ProgramReports {
  readonly #options: ProgramReportsOptions;
  #looking: Promise<void> | undefined;

  constructor(options: ProgramReportsOptions) {
    this.#options = options;
  }

  /** Nothing new begins while one look goes on. Never rejects: what was not reported is asked for again. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { finder, client, self, logger } = this.#options;
    try {
      await client.call('report_programs', { ...self, programs: await finder.look() });
    } catch (error) {
      logger.warn({ err: error }, 'the programs of this host are not reported');
    }
  }
}
