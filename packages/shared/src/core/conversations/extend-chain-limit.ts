import type { Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { goOnQuestion } from '../../platform/texts/conversation-texts.ts';
import { agentNames } from '../access/name-queries.ts';
import type { ServiceDeps } from '../deps.ts';
import { applyQuestionCommand, openCard } from '../questions/question-lifecycle.ts';
import { type DueFollower, QuestionQueries, type QuestionRecord } from '../questions/question-queries.ts';
import { giveToSuccessor } from '../questions/question-successor.ts';
import { labelAnswers } from '../questions/rules/answers.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { ABOUT_CHAIN, addExtraMessages, markAsked, setChainOfCard } from './chain-queries.ts';

/*
 * A chain that has reached its limit: people are asked whether it may go on, and every agent that it stopped hears
 * what they said.
 */

const aboutChain = (chainId: string) => `${ABOUT_CHAIN}${chainId}`;

export interface ChainStop {
  readonly chainId: string;
  readonly projectId: string;
  /** Who would have said more, and to whom. */
  readonly agentId: string;
  readonly partnerId: string;
  /** Who hears what people say: both, when it was their talk that ended. */
  readonly waiting: readonly string[];
}

/** People are asked once, however many agents the chain stops. The memberships and the chain are locked. */
export async function askToGoOn(
  tx: Tx,
  deps: Pick<ServiceDeps, 'config'>,
  stop: ChainStop,
  now: Date,
): Promise<void> {
  const questions = new QuestionQueries(tx.db);
  const asked = await markAsked(tx.db, stop.chainId, now);
  if (asked) await openGoOnCard(tx, deps, stop, { count: asked.messageCount, now });
  const card = await questions.findAbout(aboutChain(stop.chainId));
  // Who was told "no" is not asked for again. "Go on" may have come after this call had read that the chain is full.
  if (card === null || (card.state !== 'pending' && !saysGoOn(card))) return;
  for (const agentId of stop.waiting)
    await questions.insertFollower({ toolUseId: newId('toolu'), follows: card.toolUseId, agentId, now });
}

/**
 * What a person has allowed since: "go on" gives the chain its limit once more, and people are asked again at the next.
 * No answer, and "stop here", leave it as it is. The chain is locked. Returns the messages gained.
 */
export async function extendAllowedChain(tx: Tx, chainId: string, chainMax: number): Promise<number> {
  const card = await new QuestionQueries(tx.db).findAbout(aboutChain(chainId));
  if (card === null || !saysGoOn(card)) return 0;
  await addExtraMessages(tx.db, chainId, chainMax);
  return chainMax;
}

/** What people said of a chain, to one agent that waits for it: to "go on" it is woken if it sleeps. The sweeper's. */
export function tellStopped(
  deps: Pick<ServiceDeps, 'database' | 'clock'>,
  waiting: DueFollower,
): Promise<boolean> {
  return deps.database.transaction((tx) => tellOne(tx, waiting));
}

async function openGoOnCard(
  tx: Tx,
  deps: Pick<ServiceDeps, 'config'>,
  { chainId, projectId, agentId, partnerId }: ChainStop,
  { count, now }: { count: number; now: Date },
): Promise<void> {
  const nameOf = await agentNames(tx.db, [agentId, partnerId]);
  const names = { one: nameOf(agentId), other: nameOf(partnerId), count };
  const questions = [goOnQuestion(deps.config.locale, names)];
  await openCard(tx, { projectId, agentId, about: aboutChain(chainId), questions }, now);
}

function saysGoOn(card: QuestionRecord): boolean {
  const [question] = card.questions;
  if (card.state !== 'answered' || card.answers === null || question === undefined) return false;
  const chosen = labelAnswers(card.questions, card.answers)[question.question];
  return chosen !== undefined && chosen === question.options[0]?.label;
}

async function tellOne(tx: Tx, waiting: DueFollower): Promise<boolean> {
  const questions = new QuestionQueries(tx.db);
  const sessions = new SessionQueries(tx.db);
  await sessions.lockMembership(waiting.projectId, waiting.agentId);
  const open = await sessions.lockOpen(waiting.projectId, waiting.agentId);
  const card = await questions.lock(waiting.toolUseId);
  const led = card?.follows ? await questions.find(card.follows) : null;
  if (card?.state !== 'pending' || led === null) return false;
  const now = await tx.now();
  if (led.answers === null || led.answeredBy === null)
    return (await applyQuestionCommand(tx, card, { type: 'cancel', reason: 'went_away' }, now)) !== null;
  const { answers, answeredBy } = led;
  if (!(await applyQuestionCommand(tx, card, { type: 'follow' }, now, { answers, answeredBy }))) return false;
  // "Stop here" is worth a word to who is there: nobody is started for it, nor hears it some day later.
  const goesOn = saysGoOn(led);
  if (!goesOn && !open.some(({ purpose, state }) => purpose === 'chat' && state === 'active')) return true;
  const answered = await questions.lock(card.toolUseId);
  if (!answered || !(await applyQuestionCommand(tx, answered, { type: 'orphan' }, now))) return false;
  const heardBy = await giveToSuccessor(tx, { ...answered, orphanedAt: now }, { answeredBy, now });
  if (heardBy !== null && goesOn) await setChainOfCard(tx.db, heardBy);
  return true;
}
