import type { ChatLogFaultCode } from '../../contract/chat-log-fault-codes.ts';
import { HOME_NAME, type TranscriptPlace, transcriptName } from './transcript-place.ts';
import type { TranscriptQueries } from './transcript-queries.ts';

/** What was altered or replaced is written anew at once; people shall have the time to see that it happened. */
const ASIDE_SHOWN_MS = 60_000;

/**
 * The fault that a project shows (`chatLogFault`): "code: file below the working directory". A project has room
 * for one; each file takes back only its own, and one that still fails shows itself again at its next try.
 */
export class FaultBoard {
  readonly #repository: TranscriptQueries;

  constructor(repository: TranscriptQueries) {
    this.#repository = repository;
  }

  /** `name`: what was put aside instead of the transcript, below the working directory. */
  async show(
    place: TranscriptPlace,
    code: ChatLogFaultCode,
    name = transcriptName(place.agentId),
  ): Promise<void> {
    await this.#repository.showFault(place.projectId, `${code}: ${name}`);
  }

  /** The file works: takes its fault back. Returns whether it stays for now. */
  async withdraw(place: TranscriptPlace): Promise<boolean> {
    const fault = await this.#repository.fault(place.projectId);
    const name = transcriptName(place.agentId);
    // The folder is that of all the project's transcripts: the first of them that works takes its fault back.
    if (fault === null || !(fault.includes(`: ${name}`) || fault.includes(`: ${HOME_NAME}.foreign-`)))
      return false;
    const asideAt = /\.(?:altered|foreign)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\d{3}Z$/.exec(fault);
    if (asideAt) {
      const [, year, month, day, hour, minute, second] = asideAt;
      const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      if (Date.now() < at + ASIDE_SHOWN_MS) return true;
    }
    await this.#repository.withdrawFault(place.projectId, fault);
    return false;
  }
}
