/** Whose memory is read, and which part of it. Every query of the memory takes one: there is no read without. */
export interface MemoryScope {
  readonly agentId: string;
  /** This project and what is general; null: only what is general; undefined: everything, for owners only. */
  readonly projectId: string | null | undefined;
}
