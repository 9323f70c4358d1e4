import type { Attachment } from '@aizuchi/shared/contract/attachment';
import type { Message } from '@aizuchi/shared/contract/chat';
import { isTemporary } from '../../../lib/api/temporary-error.ts';
import { backoffMs } from '../../../lib/backoff.ts';
import { newId } from '../../../lib/new-id.ts';
import { Store } from '../../../lib/store.ts';
import { tabStorage } from '../../../lib/tab-storage.ts';
import { storedFiles } from '../../attachments/drafts.ts';

/** A message that the server has not acknowledged yet. */
export interface PendingMessage {
  readonly clientMessageId: string;
  readonly content: string;
  readonly attachments?: readonly Attachment[];
  /** Epoch milliseconds. */
  readonly at: number;
  /** The highest seq that was known when it was written: its own will be higher. */
  readonly afterSeq: number;
  /** waiting: no response came, it is retried automatically. refused: only a person can retry or remove it. */
  readonly state: 'sending' | 'waiting' | 'refused';
  readonly error?: unknown;
}

export interface OutboxOptions {
  readonly post: (message: {
    content: string;
    clientMessageId: string;
    /** Ids. */
    attachments?: string[];
  }) => Promise<Message>;
  /** Pending messages survive a reload of the tab under this key. */
  readonly storageKey: string;
  readonly newId?: () => string;
}

const BACKOFF = { firstMs: 500, longestMs: 8_000 };

/**
 * Sends messages in the order in which they were written, one call at a time: a browser uses several connections, and
 * between them the server guarantees no order. A call without a response is repeated with the same clientMessageId,
 * which the server stores once. A refused message stays until the person retries or removes it.
 */
export class Outbox {
  readonly pending: Store<readonly PendingMessage[]>;
  readonly #options: OutboxOptions;
  readonly #listeners = new Set<(clientMessageId: string, message: Message) => void>();
  #isSending = false;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.pending = new Store(readStored(options.storageKey));
    this.pending.subscribe(() => {
      const pending = this.pending.get();
      if (pending.length === 0) tabStorage.remove(options.storageKey);
      else tabStorage.set(options.storageKey, JSON.stringify(pending));
    });
    void this.#drain();
  }

  /** `afterSeq`: the highest seq that is known now. */
  add(content: string, afterSeq: number, attachments: readonly Attachment[] = []): void {
    const clientMessageId = (this.#options.newId ?? newId)();
    const message: PendingMessage = {
      clientMessageId,
      content,
      ...(attachments.length > 0 && { attachments }),
      at: Date.now(),
      afterSeq,
      state: 'sending',
    };
    this.pending.set([...this.pending.get(), message]);
    void this.#drain();
  }

  /** Sends without waiting for the backoff: the named message, or without a name all that wait. */
  retry(clientMessageId?: string): void {
    for (const message of this.pending.get()) {
      const isMeant =
        clientMessageId === undefined
          ? message.state === 'waiting'
          : message.clientMessageId === clientMessageId;
      if (isMeant) this.#change(message.clientMessageId, { state: 'sending' });
    }
    clearTimeout(this.#timer);
    void this.#drain();
  }

  remove(clientMessageId: string): void {
    this.pending.set(this.pending.get().filter((message) => message.clientMessageId !== clientMessageId));
  }

  /** Called for each stored message, in the same moment as it leaves `pending`. Returns the unsubscribe function. */
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
        const message = this.pending.get().find(({ state }) => state !== 'refused');
        if (!message || !(await this.#post(message))) return;
      }
    } finally {
      this.#isSending = false;
    }
  }

  /** False: sending pauses until the backoff is over. */
  async #post({ clientMessageId, content, attachments }: PendingMessage): Promise<boolean> {
    try {
      const message = await this.#options.post({
        clientMessageId,
        content,
        ...(attachments && { attachments: attachments.map(({ id }) => id) }),
      });
      this.#failures = 0;
      for (const listener of this.#listeners) listener(clientMessageId, message);
      this.remove(clientMessageId);
      return true;
    } catch (error) {
      if (isTemporary(error)) {
        this.#change(clientMessageId, { state: 'waiting' });
        const delayMs = (error.retryAfterSeconds ?? 0) * 1_000 || backoffMs(this.#failures, BACKOFF);
        this.#failures += 1;
        this.#timer = setTimeout(() => void this.#drain(), delayMs);
        return false;
      }
      this.#change(clientMessageId, { state: 'refused', error });
      return true;
    }
  }

  #change(clientMessageId: string, change: Partial<PendingMessage>): void {
    this.pending.set(
      this.pending
        .get()
        .map((message) =>
          message.clientMessageId === clientMessageId ? { ...message, ...change } : message,
        ),
    );
  }
}

/** Only this page writes the key; entries of an unexpected shape are dropped. */
function readStored(storageKey: string): readonly PendingMessage[] {
  try {
    const stored: unknown = JSON.parse(tabStorage.get(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.flatMap(toPendingMessage) : [];
  } catch {
    return [];
  }
}

function toPendingMessage(value: unknown): PendingMessage[] {
  if (typeof value !== 'object' || value === null) return [];
  const { clientMessageId, content, at, afterSeq, ...rest } = value as Record<string, unknown>;
  const attachments = storedFiles(rest.attachments);
  const isValid =
    typeof clientMessageId === 'string' &&
    typeof content === 'string' &&
    typeof at === 'number' &&
    typeof afterSeq === 'number';
  const files = attachments.length > 0 && { attachments };
  return isValid ? [{ clientMessageId, content, ...files, at, afterSeq, state: 'sending' }] : [];
}
