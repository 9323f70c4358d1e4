import type { Message, MessagePage } from '@aizuchi/shared/contract/chat';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PendingMessage } from '../composer/outbox.ts';
import { withPending } from '../list/pending-rows.ts';
import { messageRows } from '../list/rows.ts';
import { ChatFeed, type PageQuery } from './chat-feed.ts';
import { isKnown } from './timeline-messages.ts';

const NEXT = { stored: 'delivered', delivered: 'answered', failed: 'stored', answered: 'answered' } as const;
const LIMIT = 3;
const ME = 'owner';

interface Call {
  readonly query: PageQuery;
  readonly answer: (page: MessagePage) => void;
  /** The response of the server; absent while the call has not reached it. */
  page?: MessagePage;
}

/** A server with one chat, a socket that may be interrupted, overlapping calls, and the page. */
class World {
  readonly feed = new ChatFeed((query) => new Promise((answer) => this.#calls.push({ query, answer })));
  pending: PendingMessage[] = [];
  readonly #thread: Message[] = [];
  #frames: Message[] = [];
  #acknowledgements: { clientMessageId: string; message: Message }[] = [];
  #calls: Call[] = [];
  #seq = 0;
  #sent = 0;

  async run(command: number, choice: number): Promise<void> {
    const commands = [
      () => this.#send(),
      () => this.#store({ sender: 'agent', senderId: 'agt_a' }),
      () => this.#store({ sender: 'user', humanId: 'another' }),
      () => {
        // An invisible message also takes a seq.
        this.#seq += 1;
      },
      () => this.#changeState(choice),
      () => this.#deliverFrame(),
      () => this.#deliverFrame(),
      () => this.#disconnect(),
      () => this.feed.catchUp(),
      () => void this.feed.loadOlder(),
      () => this.#serve(choice),
      () => this.#serve(choice),
      () => this.#respond(choice),
      () => this.#respond(choice),
      () => this.#acknowledge(choice),
    ];
    commands[command % commands.length]?.();
    await settled();
    this.check();
  }

  /** All frames and responses arrive, and the page catches up. */
  async settle(): Promise<void> {
    while (this.#frames.length > 0) this.#deliverFrame();
    while (this.#acknowledgements.length > 0) this.#acknowledge(0);
    for (;;) {
      await settled();
      if (this.#calls.length === 0) void this.feed.loadOlder();
      if (this.#calls.length === 0) break;
      this.#serve(0);
      this.#respond(0);
    }
    this.check();
    expect(this.feed.timeline.get().messages).toEqual(this.#thread);
  }

  check(): void {
    const timeline = this.feed.timeline.get();
    const { messages } = timeline;
    for (const [index, { seq }] of messages.entries())
      expect(seq, 'rising seq, so none twice').toBeGreaterThan(messages[index - 1]?.seq ?? 0);
    const rows = withPending(messageRows(timeline), this.pending, timeline.streaming, ME);
    expect(new Set(rows.map(({ key }) => key)).size, 'a key for each row').toBe(rows.length);
    for (const send of this.pending) {
      const shown = rows.filter(
        (row) =>
          (row.kind === 'pending' && row.pending.content === send.content) ||
          (row.kind === 'message' && row.message.content === send.content),
      );
      expect(shown.length, 'a pending message is shown once').toBe(1);
    }
  }

  #send(): void {
    this.#sent += 1;
    const clientMessageId = `client-${this.#sent}`;
    const content = `words ${this.#sent}`;
    const afterSeq = this.feed.timeline.get().messages.at(-1)?.seq ?? 0;
    this.pending.push({ clientMessageId, content, at: 0, afterSeq, state: 'sending' });
    const message = this.#store({ sender: 'user', humanId: ME, content });
    this.#acknowledgements.push({ clientMessageId, message });
  }

  #store(part: Partial<Message>): Message {
    this.#seq += 1;
    const id = `msg_${this.#seq}`;
    const message: Message = {
      id,
      projectId: 'prj_a',
      senderId: 'user',
      senderName: 'x',
      sender: 'user',
      content: id,
      createdAt: '2026-11-21T10:00:00.000Z',
      visible: true,
      state: part.sender === 'agent' ? 'answered' : 'stored',
      seq: this.#seq,
      ...part,
    };
    this.#thread.push(message);
    this.#frames.push(message);
    return message;
  }

  #changeState(choice: number): void {
    const index = this.#thread.length === 0 ? -1 : choice % this.#thread.length;
    const message = this.#thread[index];
    if (!message || message.state === 'answered') return;
    const changed = { ...message, state: choice % 3 === 0 ? ('failed' as const) : NEXT[message.state] };
    // Not for a message that failed long ago: a catch-up does not read that far back.
    if (message.state === 'failed' && index < this.#thread.length - 40) return;
    this.#thread[index] = changed;
    this.#frames.push(changed);
  }

  #deliverFrame(): void {
    const message = this.#frames.shift();
    if (!message) return;
    this.feed.apply({ type: 'frame', message, at: 1 });
    if (!isKnown(this.feed.timeline.get(), message.id)) this.feed.catchUp();
  }

  #disconnect(): void {
    this.#frames = [];
    this.feed.catchUp();
  }

  #serve(choice: number): void {
    const waiting = this.#calls.filter(({ page }) => !page);
    const call = waiting[choice % (waiting.length || 1)];
    if (!call) return;
    const { after, before, limit } = call.query;
    const seqOf = (id: string | undefined) => this.#thread.find((message) => message.id === id)?.seq ?? 0;
    const range = this.#thread.filter(
      ({ seq }) =>
        (after === undefined || seq > seqOf(after)) && (before === undefined || seq < seqOf(before)),
    );
    const size = Math.min(limit, LIMIT);
    call.page = {
      messages: after === undefined ? range.slice(-size) : range.slice(0, size),
      hasMore: range.length > size,
      totalCount: this.#thread.length,
    };
  }

  #respond(choice: number): void {
    const served = this.#calls.filter(({ page }) => page);
    const call = served[choice % (served.length || 1)];
    if (!call?.page) return;
    this.#calls = this.#calls.filter((one) => one !== call);
    call.answer(call.page);
  }

  #acknowledge(choice: number): void {
    const [ack] = this.#acknowledgements.splice(
      this.#acknowledgements.length === 0 ? 0 : choice % this.#acknowledgements.length,
      1,
    );
    if (!ack) return;
    this.feed.apply({ type: 'acknowledged', ...ack, at: 1 });
    this.pending = this.pending.filter(({ clientMessageId }) => clientMessageId !== ack.clientMessageId);
  }
}

/** Lets all promises that can settle do so. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('in any order of events each message is shown once, by seq, in its latest state', async () => {
  const command = fc.tuple(fc.nat(14), fc.nat(1_000));
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 120, size: 'max' }), async (commands) => {
      const world = new World();
      world.feed.catchUp();
      for (const [what, choice] of commands) await world.run(what, choice);
      await world.settle();
    }),
    { numRuns: 200 },
  );
});
