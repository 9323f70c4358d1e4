import type { Message } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { AgentView, Turn } from '../../../driver.ts';
import { type Language, languageOf } from '../../../language.ts';
import type { ConversationReply } from '../end-conversation.ts';
import { playInConversation } from './conversation-game.ts';
import { roundsIn } from './invite.ts';
import { linesOf } from './lines.ts';
import { SHIRITORI_TEXTS } from './texts.ts';
import type { GameEnd } from './texts-shape.ts';
import type { Word } from './words/kana.ts';
import { WORD_LIST } from './words/word-list.ts';

/** The agent's answer in a game with another agent, and all words of the game with it. */
export async function playWithAgent(
  turn: Turn,
  before: readonly Message[],
  conversation: Conversation,
  random: () => number,
): Promise<{ reply: ConversationReply; said: readonly Word[] }> {
  const iBegan = conversation.initiatorAgentId === turn.agentId;
  const { content, said, end } = playInConversation({
    before: linesOf(before, turn.agentId),
    batch: linesOf(turn.messages, turn.agentId),
    rounds: iBegan ? roundsIn(conversation.purpose ?? '') : undefined,
    language: languageOfGame(conversation, turn.messages),
    list: WORD_LIST,
    random,
  });
  if (!end) return { reply: content, said };
  const report = iBegan
    ? await reportOfGame({ conversation, said, why: end.why, unread: [] }, turn)
    : undefined;
  const { finalMessage } = end;
  return { reply: report === undefined ? { finalMessage } : { finalMessage, report }, said };
}

export interface FinishedGame {
  readonly conversation: Conversation;
  readonly said: readonly Word[];
  readonly why: string;
  readonly unread: readonly Message[];
}

/** For the person who asked for the game. */
export async function reportOfGame(game: FinishedGame, { tools }: AgentView): Promise<string> {
  const { participantAgentId } = game.conversation;
  const { agents } = await tools.call('list_project_agents', {});
  const partner = agents.find((agent) => agent.agent_id === participantAgentId)?.name ?? participantAgentId;
  const texts = SHIRITORI_TEXTS[languageOfGame(game.conversation, game.unread)];
  return texts.over(partner, isGameEnd(game.why) ? game.why : 'participant_ended', game.said);
}

function languageOfGame({ purpose }: Conversation, messages: readonly Message[]): Language {
  return languageOf(purpose ?? '') ?? languageOf(messages[0]?.content ?? '') ?? 'ja';
}

function isGameEnd(why: string): why is GameEnd {
  return why in SHIRITORI_TEXTS.ja.ends;
}
