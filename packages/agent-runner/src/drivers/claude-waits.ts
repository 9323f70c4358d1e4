type Environment = Readonly<Record<string, string>>;

/** How long Claude Code lets a person wait, however it is started: by our driver, or by an ACP adapter. */
export const CLAUDE_RETRIES: Environment = {
  // By default a refused key is tried for three minutes.
  CLAUDE_CODE_MAX_RETRIES: '2',
};

/**
 * Who runs the Coordinator may raise them, for a gateway that holds an answer back until it is whole. By default a model
 * that accepts a request and says nothing is waited for ten minutes, and in the middle of its answer three to five.
 */
export const CLAUDE_TIMEOUTS: Environment = {
  // Until the answer begins.
  API_TIMEOUT_MS: '60000',
  // Until the next bytes of it; a server that lives sends pings while its model thinks.
  CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: '90000',
  CLAUDE_ENABLE_BYTE_WATCHDOG: '1',
};
