import type { ChatLogFaultCode } from '../../contract/chat-log-fault-codes.ts';
import { HOME_NAME, type TranscriptPlace, transcriptName } from './transcript-place.ts';
import type { TranscriptQueries } from './transcript-queries.ts';

/**
 * An altered or replaced file is written anew at once; the fault stays for this time, so that people can see
 * it.
 */
const ASIDE_SHOWN_MS = 60_000;

/**
 * The fault that a project shows (`chatLogFault`): "code: file below the working directory". A project has
 * room for one fault; each file removes only its own, and one that still fails sets it again at its next
 * attempt.
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

  /** The file works: removes its fault. Returns whether the fault stays for now. */
  async withdraw(place: TranscriptPlace): Promise<boolean> {
    const fault = await this.#repository.fault(place.projectId);
    const name = transcriptName(place.agentId);
    // The folder is common to all transcripts of the project: the first of them that works removes its fault.
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
