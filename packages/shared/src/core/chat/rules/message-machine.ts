/*
 *            deliver              answer
 *  stored ────────────▶ delivered ──────▶ answered
 *    ▲  ▲    release       │   │
 *    │  └──────────────────┘   │ fail
 *    │ retry        fail       ▼
 *    └─────────────────────── failed
 */
export const MESSAGE_STATES = ['stored', 'delivered', 'answered', 'failed'] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

export const MESSAGE_COMMANDS = ['deliver', 'answer', 'release', 'fail', 'retry'] as const;
export type MessageCommand = (typeof MESSAGE_COMMANDS)[number];

/** Every state by every command: where it leads, or null when it is refused. */
export const MESSAGE_TRANSITIONS: Record<MessageState, Record<MessageCommand, MessageState | null>> = {
  stored: { deliver: 'delivered', answer: null, release: null, fail: 'failed', retry: null },
  delivered: { deliver: null, answer: 'answered', release: 'stored', fail: 'failed', retry: null },
  answered: { deliver: null, answer: null, release: null, fail: null, retry: null },
  failed: { deliver: null, answer: null, release: null, fail: null, retry: 'stored' },
};

/** Sessions that may crash over one message before it fails with agent_crashed. */
export const MAX_CRASHES_PER_MESSAGE = 3;

/**
 * What becomes of a message whose session ended before answering it. A crash counts; being stopped, lost,
 * replaced or closed does not, or an operator's restarts would fail people's messages.
 */
export function releaseOrFail(
  crashes: number,
  sessionCrashed: boolean,
): { state: 'stored' | 'failed'; crashes: number } {
  const counted = sessionCrashed ? crashes + 1 : crashes;
  return { state: counted >= MAX_CRASHES_PER_MESSAGE ? 'failed' : 'stored', crashes: counted };
}
