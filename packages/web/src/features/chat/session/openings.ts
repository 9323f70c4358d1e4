import type { StartChatResult } from '@aizuchi/shared/contract/chat';

/** No panel comes any more: another page was opened meanwhile. */
export const TAKEN_WITHIN_MS = 5_000;

interface Calls {
  open(pid: string, aid: string): Promise<StartChatResult>;
  close(pid: string, aid: string): Promise<unknown>;
}

interface EarlyOpening {
  readonly result: Promise<StartChatResult>;
  readonly giveUp: ReturnType<typeof setTimeout>;
}

/** The chats that this tab has open. One may be opened before its panel is drawn, which takes the call over. */
export class Openings {
  readonly #calls: Calls;
  readonly #early = new Map<string, EarlyOpening>();
  readonly #shown = new Set<string>();
  /** By chat: the call that runs. Calls are sent in order, because a close must not overtake the opening before it. */
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Starts the agent while its panel is still being drawn. The chat is closed again when no panel comes. */
  openEarly(pid: string, aid: string): void {
    const key = keyOf(pid, aid);
    if (this.#shown.has(key) || this.#early.has(key)) return;
    const result = this.#open(pid, aid);
    // The panel shows why it failed, and tries again.
    result.catch(() => undefined);
    const giveUp = setTimeout(() => {
      this.#early.delete(key);
      void this.close(pid, aid).catch(() => undefined);
    }, TAKEN_WITHIN_MS);
    this.#early.set(key, { result, giveUp });
  }

  open(pid: string, aid: string): Promise<StartChatResult> {
    const key = keyOf(pid, aid);
    const early = this.#early.get(key);
    this.#early.delete(key);
    clearTimeout(early?.giveUp);
    this.#shown.add(key);
    return early?.result ?? this.#open(pid, aid);
  }

  close(pid: string, aid: string): Promise<unknown> {
    const key = keyOf(pid, aid);
    this.#shown.delete(key);
    return this.#inOrder(key, () => this.#calls.close(pid, aid));
  }

  #open(pid: string, aid: string): Promise<StartChatResult> {
    return this.#inOrder(keyOf(pid, aid), () => this.#calls.open(pid, aid));
  }

  #inOrder<T>(key: string, call: () => Promise<T>): Promise<T> {
    const before = this.#running.get(key);
    const turn = before ? before.then(call, call) : call();
    const ended = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#running.get(key) === ended) this.#running.delete(key);
      });
    this.#running.set(key, ended);
    return turn;
  }
}

const keyOf = (pid: string, aid: string): string => `${pid}/${aid}`;
