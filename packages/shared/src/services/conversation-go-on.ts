import type { Tx } from '../db/database.ts';
import { QuestionRepository } from '../db/repositories/question-repository.ts';
import { labelAnswers } from '../domain/question/answers.ts';
import { goOnQuestion } from '../texts/conversation-texts.ts';
import type { ServiceDeps } from './deps.ts';
import { openCard } from './question-lifecycle.ts';

const aboutChain = (chainId: string) => `chain:${chainId}`;

/** A chain is used up: people are asked, once, whether it may go on. The pairs and the chain are locked. */
export async function askToGoOn(
  tx: Tx,
  deps: Pick<ServiceDeps, 'config'>,
  of: { chainId: string; projectId: string; agentId: string; partnerId: string },
  now: Date,
): Promise<void> {
  const asked = await tx.db
    .updateTable('conversationChains')
    .set({ askedAt: now })
    .where('id', '=', of.chainId)
    .where('askedAt', 'is', null)
    .returning('messageCount')
    .executeTakeFirst();
  if (!asked) return;
  const agents = await tx.db
    .selectFrom('agents')
    .select(['id', 'name'])
    .where('id', 'in', [of.agentId, of.partnerId])
    .execute();
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name ?? id;
  const names = { one: nameOf(of.agentId), other: nameOf(of.partnerId), count: asked.messageCount };
  const { projectId, agentId } = of;
  const questions = [goOnQuestion(deps.config.locale, names)];
  await openCard(tx, { projectId, agentId, about: aboutChain(of.chainId), questions }, now);
}

/**
 * What a person has allowed since: "go on" gives the chain its limit once more, and the next time he is asked again.
 * No answer, and "stop here", leave it as it is. The chain is locked. Returns the messages gained.
 */
export async function takeAllowance(tx: Tx, chainId: string, chainMax: number): Promise<number> {
  const card = await new QuestionRepository(tx.db).findAbout(aboutChain(chainId));
  if (card?.state !== 'answered' || card.answers === null) return 0;
  const [question] = card.questions;
  const chosen = question && labelAnswers(card.questions, card.answers)[question.question];
  if (chosen === undefined || chosen !== question?.options[0]?.label) return 0;
  await tx.db
    .updateTable('conversationChains')
    .set((eb) => ({ extraMessages: eb('extraMessages', '+', chainMax), askedAt: null }))
    .where('id', '=', chainId)
    .execute();
  return chainMax;
}
