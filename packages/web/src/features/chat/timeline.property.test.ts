import type { Message, MessagePage } from '@aizuchi/shared/contract/chat';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messageRows, type Send, withPending } from './rows.ts';
import { catchUpAfter, EMPTY_TIMELINE, isKnown, reduceTimeline, type TimelineEvent } from './timeline.ts';

const NEXT = { stored: 'delivered', delivered: 'answered', failed: 'stored', answered: 'answered' } as const;
const LIMIT = 3;
const ME = 'owner';

interface Read {
  readonly kind: 'newest' | 'older' | 'newer';
  readonly askedAt: number;
  readonly query: { after?: string; before?: string };
  /** What the server read; not yet: the call is still on its way there. */
  page?: MessagePage;
}

/** A server with one chat, a socket that may be cut, calls that overlap, and the page in front of it. */
class World {
  timeline = EMPTY_TIMELINE;
  sends: Send[] = [];
  readonly #thread: Message[] = [];
  #frames: Message[] = [];
  #acks: { clientMessageId: string; message: Message }[] = [];
  #forward: Read | undefined;
  #older: Read | undefined;
  #isBehind = true;
  #seq = 0;
  #sent = 0;

  run(command: number, choice: number): void {
    const commands = [
      () => this.#send(),
      () => this.#store({ sender: 'agent', senderId: 'agt_a' }),
      () => this.#store({ sender: 'user', humanId: 'another' }),
      () => {
        // An invisible line takes a number, too.
        this.#seq += 1;
      },
      () => this.#changeState(choice),
      () => this.#hear(),
      () => this.#hear(),
      () => this.#cut(),
      () => this.#ask(),
      () => this.#askOlder(),
      () => this.#serve(this.#forward),
      () => this.#serve(this.#older),
      () => this.#answer('forward'),
      () => this.#answer('older'),
      () => this.#acknowledge(choice),
    ];
    commands[command % commands.length]?.();
    this.check();
  }

  /** Everything that is under way arrives, and what is behind is read. */
  settle(): void {
    while (this.#frames.length > 0) this.#hear();
    while (this.#acks.length > 0) this.#acknowledge(0);
    for (;;) {
      this.#serve(this.#forward);
      this.#serve(this.#older);
      this.#answer('forward');
      this.#answer('older');
      this.#ask();
      if (!this.#forward) this.#askOlder();
      if (!this.#forward && !this.#older) break;
    }
    this.check();
    expect(this.timeline.messages).toEqual(this.#thread);
  }

  check(): void {
    const { messages } = this.timeline;
    for (const [index, { seq }] of messages.entries())
      expect(seq, 'rising seq, so none twice').toBeGreaterThan(messages[index - 1]?.seq ?? 0);
    const rows = withPending(messageRows(this.timeline), this.sends, this.timeline.growing, ME);
    expect(new Set(rows.map(({ key }) => key)).size, 'a key for each row').toBe(rows.length);
    for (const send of this.sends) {
      const shown = rows.filter(
        (row) =>
          (row.kind === 'send' && row.send.content === send.content) ||
          (row.kind === 'message' && row.message.content === send.content),
      );
      expect(shown.length, 'what is on its way is shown once').toBe(1);
    }
  }

  #send(): void {
    this.#sent += 1;
    const clientMessageId = `client-${this.#sent}`;
    const content = `words ${this.#sent}`;
    const afterSeq = this.timeline.messages.at(-1)?.seq ?? 0;
    this.sends.push({ clientMessageId, content, at: 0, afterSeq, state: 'sending' });
    const message = this.#store({ sender: 'user', humanId: ME, content });
    this.#acks.push({ clientMessageId, message });
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
    // A message that failed long ago, further up than anybody looks, is another story.
    if (message.state === 'failed' && index < this.#thread.length - 40) return;
    this.#thread[index] = changed;
    this.#frames.push(changed);
  }

  #apply(event: TimelineEvent): void {
    this.timeline = reduceTimeline(this.timeline, event);
  }

  #hear(): void {
    const message = this.#frames.shift();
    if (!message) return;
    this.#apply({ type: 'frame', message, at: 1, isOfChat: message.sender === 'agent' });
    if (!isKnown(this.timeline, message.id)) this.#isBehind = true;
  }

  #cut(): void {
    this.#frames = [];
    this.#isBehind = true;
  }

  #ask(): void {
    if (this.#forward || !this.#isBehind) return;
    this.#isBehind = false;
    const after = catchUpAfter(this.timeline);
    const isNewest = !this.timeline.isLoaded || after === undefined;
    this.#forward = {
      kind: isNewest ? 'newest' : 'newer',
      askedAt: this.timeline.revision,
      query: isNewest ? {} : { after: after ?? '' },
    };
  }

  #askOlder(): void {
    const [oldest] = this.timeline.messages;
    if (this.#older || !this.timeline.hasOlder || !oldest) return;
    this.#older = { kind: 'older', askedAt: this.timeline.revision, query: { before: oldest.id } };
  }

  #serve(read: Read | undefined): void {
    if (!read || read.page) return;
    const seqOf = (id: string | undefined) => this.#thread.find((message) => message.id === id)?.seq ?? 0;
    const { after, before } = read.query;
    const range = this.#thread.filter(
      ({ seq }) =>
        (after === undefined || seq > seqOf(after)) && (before === undefined || seq < seqOf(before)),
    );
    read.page = {
      messages: after === undefined ? range.slice(-LIMIT) : range.slice(0, LIMIT),
      hasMore: range.length > LIMIT,
      totalCount: this.#thread.length,
    };
  }

  #answer(which: 'forward' | 'older'): void {
    const read = which === 'forward' ? this.#forward : this.#older;
    if (!read?.page) return;
    const { kind, page, askedAt } = read;
    this.#apply({ type: 'page', kind, page, askedAt });
    if (which === 'older') this.#older = undefined;
    else {
      const after = page.messages.at(-1)?.id;
      this.#forward =
        kind === 'newer' && page.hasMore && after !== undefined
          ? { kind, askedAt: this.timeline.revision, query: { after } }
          : undefined;
    }
  }

  #acknowledge(choice: number): void {
    const [ack] = this.#acks.splice(this.#acks.length === 0 ? 0 : choice % this.#acks.length, 1);
    if (!ack) return;
    this.#apply({ type: 'acked', ...ack, at: 1 });
    this.sends = this.sends.filter(({ clientMessageId }) => clientMessageId !== ack.clientMessageId);
  }
}

test('whatever comes in whatever order: each message once, by seq, in its last state', () => {
  const command = fc.tuple(fc.nat(14), fc.nat(1_000));
  fc.assert(
    fc.property(fc.array(command, { maxLength: 120 }), (commands) => {
      const world = new World();
      for (const [what, choice] of commands) world.run(what, choice);
      world.settle();
    }),
    { numRuns: 400 },
  );
});
