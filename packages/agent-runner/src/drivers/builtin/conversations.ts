import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { AgentView, ConversationOver, Turn } from '../../driver.ts';
import { languageOf } from '../../language.ts';
import { composeAnswer } from './compose-answer.ts';
import type { ConversationReply } from './end-conversation.ts';
import { recognise } from './intent.ts';
import { readBoard } from './read-board.ts';
import { hasTraceOfGame, mentionsShiritori } from './shiritori/trace.ts';
import { ThreadMemory } from './thread-memory.ts';

interface KnownConversation {
  readonly conversation: Conversation;
  /** The words of its game, if it is one. */
  said: readonly string[];
}

/** At least as many as a conversation can hold. */
const ALL_MESSAGES = 200;

/** The conversations of the built-in agent with other agents, each answered for itself. */
export class Conversations {
  readonly #known = new Map<string, KnownConversation>();
  readonly #threads = new ThreadMemory();
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  async answer(turn: Turn, id: string): Promise<ConversationReply> {
    const known = this.#known.get(id) ?? (await this.#read(id, turn));
    const before = this.#threads.before(turn);
    const texts = [...before, ...turn.messages].map((message) => message.content);
    if (!isGame(known.conversation) && !hasTraceOfGame(texts)) return answerPlainly(turn, known);
    const { playWithAgent } = await import('./shiritori/play-with-agent.ts');
    const { reply, said } = await playWithAgent(turn, before, known.conversation, this.#random);
    known.said = said;
    if (typeof reply === 'object' && reply !== null) this.#forget(id);
    return reply;
  }

  /** The text for the person who asked this agent to begin a game; null: this agent did not begin one. */
  async over({ id, reason, unread }: ConversationOver, agent: AgentView): Promise<string | null> {
    const known = this.#known.get(id) ?? (await this.#read(id, agent));
    this.#forget(id);
    const { conversation } = known;
    if (conversation.initiatorAgentId !== agent.agentId || !isGame(conversation)) return null;
    const { reportOfGame } = await import('./shiritori/play-with-agent.ts');
    return reportOfGame({ conversation, said: known.said, why: reason, unread }, agent);
  }

  /** What it is about and what was said before this process knew of it. */
  async #read(id: string, { tools }: AgentView): Promise<KnownConversation> {
    const { conversation, messages } = await tools.call('get_conversation_messages', {
      conversation_id: id,
      limit: ALL_MESSAGES,
    });
    const known: KnownConversation = { conversation, said: [] };
    this.#known.set(id, known);
    this.#threads.learn(id, messages);
    return known;
  }

  #forget(id: string): void {
    this.#known.delete(id);
    this.#threads.forget(id);
  }
}

function isGame({ purpose }: Conversation): boolean {
  return purpose !== null && mentionsShiritori(purpose);
}

/**
 * Answers with what it knows when an agent asks. It answers nothing else, and no answer of the other side:
 * otherwise two built-in agents would greet each other without end.
 */
function answerPlainly(turn: Turn, { conversation }: KnownConversation): Promise<string | null> {
  const replies = new Map<string, null>();
  for (const { id, content } of turn.messages) {
    const { intent } = recognise(content);
    const answers = intent === 'progress' || intent === 'identity' || intent === 'capabilities';
    if (!answers || conversation.participantAgentId !== turn.agentId) replies.set(id, null);
  }
  return composeAnswer(turn.messages, {
    agentName: turn.agentName,
    fallback: languageOf(conversation.purpose ?? '') ?? 'ja',
    replies,
    readBoard: () => readBoard(turn),
  });
}
