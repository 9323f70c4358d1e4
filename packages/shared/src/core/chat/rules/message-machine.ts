/*
 *            deliver              answer
 *  stored ────────────▶ delivered ──────▶ answered
 *    ▲  ▲    release       │   │            ▲
 *    │  └──────────────────┘   │ fail       │ hear_end (from stored)
 *    │ retry        fail       ▼
 *    └─────────────────────── failed
 *
 * Statements that change a state name the states that they may leave with `statesThat`. The test database refuses
 * every other change (testing/message-transitions.ts), so no statement can leave this table unseen.
 */
export const MESSAGE_STATES = ['stored', 'delivered', 'answered', 'failed'] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

export const MESSAGE_COMMANDS = ['deliver', 'answer', 'hear_end', 'release', 'fail', 'retry'] as const;
export type MessageCommand = (typeof MESSAGE_COMMANDS)[number];

/**
 * Every state by every command: the next state, or null when the command is refused. `hear_end`: messages to
 * the other side of a conversation are read together with the notice that it has ended.
 */
export const MESSAGE_TRANSITIONS: Record<MessageState, Record<MessageCommand, MessageState | null>> = {
  stored: {
    deliver: 'delivered',
    answer: null,
    hear_end: 'answered',
    release: null,
    fail: 'failed',
    retry: null,
  },
  delivered: {
    deliver: null,
    answer: 'answered',
    hear_end: null,
    release: 'stored',
    fail: 'failed',
    retry: null,
  },
  answered: { deliver: null, answer: null, hear_end: null, release: null, fail: null, retry: null },
  failed: { deliver: null, answer: null, hear_end: null, release: null, fail: null, retry: 'stored' },
};

/** The states in which the command is not refused. */
export function statesThat(command: MessageCommand): MessageState[] {
  return MESSAGE_STATES.filter((state) => MESSAGE_TRANSITIONS[state][command] !== null);
}

/** The number of crashes with one message after which it fails with agent_crashed. */
export const MAX_CRASHES_PER_MESSAGE = 3;

/**
 * The next state of a message whose session ended before answering it. A crash counts; being stopped, lost,
 * replaced or closed does not, because otherwise an operator's restarts would fail people's messages.
 */
export function releaseOrFail(
  crashes: number,
  sessionCrashed: boolean,
): { state: 'stored' | 'failed'; crashes: number } {
  const counted = sessionCrashed ? crashes + 1 : crashes;
  return { state: counted >= MAX_CRASHES_PER_MESSAGE ? 'failed' : 'stored', crashes: counted };
}
