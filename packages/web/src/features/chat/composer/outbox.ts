import type { Message } from '@aizuchi/shared/contract/chat';
import { isTemporary } from '../../../lib/api/api-error.ts';
import { backoffMs } from '../../../lib/backoff.ts';
import { Store } from '../../../lib/store.ts';
import { tabStorage } from '../../../lib/tab-storage.ts';
import type { Send } from '../list/rows.ts';

export interface OutboxOptions {
  readonly post: (send: { content: string; clientMessageId: string }) => Promise<Message>;
  /** What is not sent yet outlives a reload of the tab. */
  readonly storageKey: string;
  readonly newId?: () => string;
}

const BACKOFF = { firstMs: 500, longestMs: 8_000 };

/**
 * What a person wrote, in the order it was written, one call at a time: a browser sends on several connections, where
 * the server promises no order. No answer: the same call again with the same clientMessageId, which the server stores
 * once. A refusal stays until the person retries or removes it.
 */
export class Outbox {
  readonly sends: Store<readonly Send[]>;
  readonly #options: OutboxOptions;
  readonly #listeners = new Set<(clientMessageId: string, message: Message) => void>();
  #isSending = false;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.sends = new Store(readSends(options.storageKey));
    this.sends.subscribe(() => {
      const sends = this.sends.get();
      if (sends.length === 0) tabStorage.remove(options.storageKey);
      else tabStorage.set(options.storageKey, JSON.stringify(sends));
    });
    void this.#drain();
  }

  add(content: string, afterSeq: number): void {
    const clientMessageId = (this.#options.newId ?? (() => crypto.randomUUID()))();
    const send: Send = { clientMessageId, content, at: Date.now(), afterSeq, state: 'sending' };
    this.sends.set([...this.sends.get(), send]);
    void this.#drain();
  }

  /** At once: a person asks for it, or the connection is back. */
  retry(clientMessageId?: string): void {
    for (const send of this.sends.get()) {
      const isMeant = clientMessageId === undefined ? send.state === 'waiting' : true;
      if (isMeant && (clientMessageId ?? send.clientMessageId) === send.clientMessageId)
        this.#set(send.clientMessageId, { state: 'sending' });
    }
    clearTimeout(this.#timer);
    void this.#drain();
  }

  remove(clientMessageId: string): void {
    this.sends.set(this.sends.get().filter((send) => send.clientMessageId !== clientMessageId));
  }

  /** Hears what was stored, in the same moment as it leaves `sends`. */
  onStored(listener: (clientMessageId: string, message: Message) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async #drain(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (;;) {
        const send = this.sends.get().find(({ state }) => state !== 'refused');
        if (!send || !(await this.#post(send))) return;
      }
    } finally {
      this.#isSending = false;
    }
  }

  /** False: not now. */
  async #post({ clientMessageId, content }: Send): Promise<boolean> {
    try {
      const message = await this.#options.post({ clientMessageId, content });
      this.#failures = 0;
      for (const listener of this.#listeners) listener(clientMessageId, message);
      this.remove(clientMessageId);
      return true;
    } catch (error) {
      if (isTemporary(error)) {
        this.#set(clientMessageId, { state: 'waiting' });
        const wait = backoffMs(this.#failures, BACKOFF);
        this.#failures += 1;
        this.#timer = setTimeout(() => void this.#drain(), (error.retryAfterSeconds ?? 0) * 1_000 || wait);
        return false;
      }
      this.#set(clientMessageId, { state: 'refused', error });
      return true;
    }
  }

  #set(clientMessageId: string, change: Partial<Send>): void {
    this.sends.set(
      this.sends
        .get()
        .map((send) => (send.clientMessageId === clientMessageId ? { ...send, ...change } : send)),
    );
  }
}

/** Written by this page alone; what does not look like it is dropped. */
function readSends(storageKey: string): readonly Send[] {
  try {
    const stored: unknown = JSON.parse(tabStorage.get(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.flatMap(toSend) : [];
  } catch {
    return [];
  }
}

function toSend(value: unknown): Send[] {
  if (typeof value !== 'object' || value === null) return [];
  const { clientMessageId, content, at, afterSeq } = value as Record<string, unknown>;
  const isSend =
    typeof clientMessageId === 'string' &&
    typeof content === 'string' &&
    typeof at === 'number' &&
    typeof afterSeq === 'number';
  return isSend ? [{ clientMessageId, content, at, afterSeq, state: 'sending' }] : [];
}
