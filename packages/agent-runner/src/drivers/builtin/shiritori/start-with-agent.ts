import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import type { Turn } from '../../../driver.ts';
import { type Language, languageOf } from '../../../language.ts';
import { findPartner, type ProjectAgent } from './find-partner.ts';
import { openingLine } from './game.ts';
import { wishOf } from './invite.ts';
import { SHIRITORI_TEXTS } from './texts.ts';
import { OPENING_WORD } from './words/choose-word.ts';

/** Additional messages beyond the rounds, so that the agent that began can end it in time. */
const SPARE_MESSAGES = 2;

/**
 * Begins the games with other agents that the person asks for; the replies by message. A wish that names nobody is none
 * of these: the person wants to play.
 */
export async function startGames(turn: Turn, fallback: Language): Promise<Map<string, string>> {
  const replies = new Map<string, string>();
  const wishes = turn.messages.flatMap((message) => {
    const wish = wishOf(message.content);
    return wish?.kind === 'play_with_other' ? [{ message, rounds: wish.rounds }] : [];
  });
  if (wishes.length === 0) return replies;
  const { agents } = await turn.tools.call('list_project_agents', {});
  for (const { message, rounds } of wishes) {
    const language = languageOf(message.content) ?? fallback;
    const texts = SHIRITORI_TEXTS[language];
    const partner = findPartner(message.content, agents);
    if (partner.kind === 'none_named') continue;
    if (partner.kind === 'unknown') {
      const names = agents.filter((agent) => agent.type === 'ai' && !agent.is_self).map(({ name }) => name);
      replies.set(message.id, texts.partnerUnknown(names));
    } else if (partner.kind === 'person') {
      replies.set(message.id, texts.partnerIsHuman(partner.agent.name));
    } else {
      replies.set(message.id, await start(turn, message.id, partner.agent, rounds, language));
    }
  }
  return replies;
}

async function start(
  turn: Turn,
  messageId: string,
  partner: ProjectAgent,
  rounds: number,
  language: Language,
): Promise<string> {
  const texts = SHIRITORI_TEXTS[language];
  try {
    const { warning } = await turn.tools.call('start_conversation', {
      participant_agent_id: partner.agent_id,
      purpose: texts.purpose(rounds),
      initial_message: openingLine(OPENING_WORD, language),
      max_messages: rounds * 2 + SPARE_MESSAGES,
      idempotency_key: `shiritori:${messageId}`,
    });
    const started = texts.started(partner.name, rounds);
    return warning === undefined ? started : `${started}\n${texts.mayNotCome(partner.name)}`;
  } catch (error) {
    if (!(error instanceof ToolRefused)) throw error;
    return error.code === 'conversation_already_active'
      ? texts.alreadyTalking(partner.name)
      : texts.couldNotStart(partner.name, error.code === 'chain_limit' ? texts.ends.chain_limit : error.code);
  }
}
