/** Numbers without meaning, one for each advisory lock of the database; all are held until their transaction ends. */
export const ADVISORY_LOCKS = {
  /** One process prunes the change log. */
  pruning: 4_712_001,
  /** Names that are given are compared across many rows. */
  names: 4_712_015,
  /** The change log is made to fit the cluster. */
  logEpoch: 5_604_116,
  /** The table of pgvector is made. */
  pgvector: 5_604_118,
  /** Folders of projects that are given are compared with all others. */
  directories: 5_604_117,
  /** Chats of a folder are taken in: copies of it in several projects name the same messages. */
  chatImport: 5_604_119,
} as const;
