import type { Message } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { AgentView, ConversationOver, Turn } from '../../driver.ts';
import { languageOf } from '../../language.ts';
import { composeAnswer } from './compose-answer.ts';
import type { ConversationReply } from './end-conversation.ts';
import { recognise } from './intent.ts';
import { readBoard } from './read-board.ts';
import { hasTraceOfGame, mentionsShiritori } from './shiritori/trace.ts';
import { TEXTS } from './texts.ts';
import { ThreadMemory } from './thread-memory.ts';

interface KnownConversation {
  readonly conversation: Conversation;
  /** This agent has said something in it. */
  hasSpoken: boolean;
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
    // What it can do names the game, too.
    const heard = [...before, ...turn.messages].filter(({ senderId }) => senderId !== turn.agentId);
    const isPlain = !isGame(known.conversation) && !hasTraceOfGame(heard.map(({ content }) => content));
    const reply = await (isPlain ? answerPlainly(turn, known) : this.#play(turn, before, known));
    known.hasSpoken ||= reply !== null;
    if (typeof reply === 'object' && reply !== null) this.#forget(id);
    return reply;
  }

  async #play(turn: Turn, before: readonly Message[], known: KnownConversation): Promise<ConversationReply> {
    const { playWithAgent } = await import('./shiritori/play-with-agent.ts');
    const { reply, said } = await playWithAgent(turn, before, known.conversation, this.#random);
    known.said = said;
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
  async #read(id: string, { agentId, tools }: AgentView): Promise<KnownConversation> {
    const { conversation, messages } = await tools.call('get_conversation_messages', {
      conversation_id: id,
      limit: ALL_MESSAGES,
    });
    const hasSpoken = messages.some(({ senderId }) => senderId === agentId);
    const known: KnownConversation = { conversation, hasSpoken, said: [] };
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
 * Answers with what it knows when an agent asks. To anything else it says once what it can do, and then ends the conversation:
 * the other side waits for a word. What the other side answers to it gets none: otherwise two built-in agents would talk
 * without end.
 */
async function answerPlainly(turn: Turn, known: KnownConversation): Promise<ConversationReply> {
  const { conversation, hasSpoken } = known;
  const isAsked = conversation.participantAgentId === turn.agentId;
  const replies = new Map<string, null>();
  for (const { id, content } of turn.messages) {
    const { intent } = recognise(content);
    const answers = intent === 'progress' || intent === 'identity' || intent === 'capabilities';
    if (!answers || !isAsked) replies.set(id, null);
  }
  const fallback = languageOf(conversation.purpose ?? '') ?? 'ja';
  const answer = await composeAnswer(turn.messages, {
    agentName: turn.agentName,
    fallback,
    replies,
    readBoard: () => readBoard(turn),
  });
  if (answer !== null || !isAsked) return answer;
  const last = turn.messages.at(-1)?.content ?? '';
  const texts = TEXTS[languageOf(last) ?? fallback];
  const { intent } = recognise(last);
  if (!hasSpoken) return `${intent === 'greeting' ? texts.hello : texts.cannot}\n${texts.capabilities}`;
  return { finalMessage: intent === 'thanks' ? texts.thanks : texts.cannot };
}
