import type { LinkedQuestion } from '../../contract/notification.ts';
import type { Question } from '../../contract/question.ts';
import { AppError } from '../../platform/errors.ts';
import { currentAccessLevel, type Person, requireMember, requireWriter } from '../access/person.ts';
import { findChannel } from './channel-queries.ts';
import type { NotificationDeps } from './deps.ts';
import { namesOf } from './notification-queries.ts';

/**
 * Answers to a card by a link that was sent to a channel. The link is good for this card only, as long as it waits, its
 * channel is there, and the person of the channel may answer; the first answer ends it, because a card takes one.
 */
export class AnswerLinks {
  readonly #deps: NotificationDeps;

  constructor(deps: NotificationDeps) {
    this.#deps = deps;
  }

  /** @throws AppError answer_link_not_found */
  async look(token: string): Promise<LinkedQuestion> {
    const { card } = await this.#open(token);
    const [question] = card.questions;
    if (!question) throw invalid();
    const names = await namesOf(this.#deps.database.db, {
      projectIds: [card.projectId],
      agentIds: [card.agentId],
    });
    return {
      project: names.get(card.projectId) ?? card.projectId,
      agent: names.get(card.agentId) ?? card.agentId,
      question: question.question,
      options: question.options,
      ...(card.expiresAt !== undefined && { expiresAt: card.expiresAt }),
    };
  }

  /** @throws AppError answer_link_not_found, invalid_answer, question_already_answered */
  async answer(token: string, option: number): Promise<void> {
    const { person, card } = await this.#open(token);
    await this.#deps.questions.answer(person, card.toolUseId, { 0: String(option) });
  }

  /** One answer to everything that is wrong with a link: who tries some learns nothing. */
  async #open(token: string): Promise<{ person: Person; card: Question }> {
    const { database, keys, questions } = this.#deps;
    const link = keys.readLink(token);
    const channel = link && (await findChannel(database.db, link.channelId, await database.now()));
    const accessLevel = channel && (await currentAccessLevel(database.db, channel.humanId));
    const card = link && (await questions.byIds([link.toolUseId])).get(link.toolUseId);
    if (!channel?.isOn || !accessLevel || card?.status !== 'pending') throw invalid();
    const names = await namesOf(database.db, { projectIds: [], agentIds: [channel.humanId] });
    const person = { id: channel.humanId, name: names.get(channel.humanId) ?? '', accessLevel };
    await requireMember(database.db, person, card.projectId)
      .then(() => requireWriter(person))
      .catch(() => {
        throw invalid();
      });
    return { person, card };
  }
}

function invalid(): AppError {
  return new AppError('answer_link_not_found', 'This link is wrong, or what it asks has been answered.');
}
