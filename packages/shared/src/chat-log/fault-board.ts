import type { ChatLogRepository } from '../db/repositories/chat-log-repository.ts';
import type { ChatLogFaultCode } from './chat-log-fault.ts';
import { type TranscriptPlace, transcriptName } from './transcript-place.ts';

/** An altered file is written anew at once; people shall have the time to see that it happened. */
const ALTERED_SHOWN_MS = 60_000;

/**
 * The fault that a project shows (`chatLogFault`): "code: file below the working directory". A project has room
 * for one; each file takes back only its own, and one that still fails shows itself again at its next try.
 */
export class FaultBoard {
  readonly #repository: ChatLogRepository;

  constructor(repository: ChatLogRepository) {
    this.#repository = repository;
  }

  /** `file`: another name in the same folder, for what was kept aside. */
  async show(place: TranscriptPlace, code: ChatLogFaultCode, file = 'chat.jsonl'): Promise<void> {
    const name = transcriptName(place.agentId).replace(/chat\.jsonl$/, file);
    await this.#repository.showFault(place.projectId, `${code}: ${name}`);
  }

  /** The file works: takes its fault back. Returns whether it stays for now. */
  async withdraw(place: TranscriptPlace): Promise<boolean> {
    const fault = await this.#repository.fault(place.projectId);
    const name = transcriptName(place.agentId);
    if (fault === null || !fault.includes(`: ${name}`)) return false;
    const alteredAt = /\.altered-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\d{3}Z$/.exec(fault);
    if (alteredAt) {
      const [, year, month, day, hour, minute, second] = alteredAt;
      const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      if (Date.now() < at + ALTERED_SHOWN_MS) return true;
    }
    await this.#repository.withdrawFault(place.projectId, fault);
    return false;
  }
}
