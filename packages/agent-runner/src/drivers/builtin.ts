import type { ConversationOver, Driver, DriverSession, SessionOptions, Turn } from '../driver.ts';
import type { TurnEnd, TurnEvent } from '../turn-events.ts';
import { answerPerson } from './builtin/answer-person.ts';
import { Conversations } from './builtin/conversations.ts';
import { type ConversationReply, endConversation, reportToPerson } from './builtin/end-conversation.ts';
import { workOnTask } from './builtin/task/work-on-task.ts';
import { ThreadMemory } from './builtin/thread-memory.ts';

/** The agent that works out of the box: no model, no network, fixed phrasings, facts from the board. */
export class BuiltinDriver implements Driver {
  async open(options: SessionOptions): Promise<DriverSession> {
    return new BuiltinSession(options);
  }
}

const INTERRUPTED: TurnEnd = { type: 'end', reason: 'interrupted' };

class BuiltinSession implements DriverSession {
  readonly concurrentTurns = true;
  readonly #options: SessionOptions;
  readonly #threads = new ThreadMemory();
  readonly #conversations = new Conversations(Math.random);

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  async *run(turn: Turn): AsyncGenerator<TurnEvent> {
    let reply: ConversationReply;
    try {
      reply = await this.#answer(turn);
    } catch (error) {
      if (turn.signal.aborted) yield INTERRUPTED;
      else yield { type: 'end', reason: 'failed', error: sentenceOf(error) };
      return;
    }
    if (turn.signal.aborted) {
      yield INTERRUPTED;
    } else if (typeof reply === 'object' && reply !== null && turn.source.kind === 'conversation') {
      await endConversation(reply, turn.source.conversation_id, this.#options).catch((error: unknown) =>
        this.#options.log(`turn failed: ${sentenceOf(error)}`),
      );
      yield { type: 'end', reason: 'done', answered: true };
    } else {
      if (typeof reply === 'string') yield { type: 'text', text: reply };
      yield { type: 'end', reason: 'done' };
    }
  }

  async conversationOver(over: ConversationOver): Promise<void> {
    const report = await this.#conversations.over(over, this.#options);
    if (report) await reportToPerson(report, over.id, this.#options);
  }

  async close(): Promise<void> {
    // It has started nothing.
  }

  #answer(turn: Turn): Promise<ConversationReply> {
    if (turn.task) return workOnTask(turn, turn.task);
    if (turn.source.kind === 'conversation')
      return this.#conversations.answer(turn, turn.source.conversation_id);
    return answerPerson(turn, () => this.#threads.before(turn), Math.random);
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
