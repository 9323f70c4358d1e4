import type { Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { goOnQuestion } from '../../platform/texts/conversation-texts.ts';
import { agentNames } from '../access/name-queries.ts';
import { giveToSuccessor } from '../cards/card-successor.ts';
import type { ServiceDeps } from '../deps.ts';
import { applyQuestionCommand, openCard, QUESTION_CARDS } from '../questions/question-lifecycle.ts';
import { type DueFollower, QuestionQueries, type QuestionRecord } from '../questions/question-queries.ts';
import { labelAnswers } from '../questions/rules/answers.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { ABOUT_CHAIN, addExtraMessages, markAsked, setChainOfCard } from './chain-queries.ts';

/*
 * A chain that has reached its limit: people are asked whether it may continue, and every agent that it
 * stopped is given their decision.
 */

const aboutChain = (chainId: string) => `${ABOUT_CHAIN}${chainId}`;

export interface ChainStop {
  readonly chainId: string;
  readonly projectId: string;
  /** The agent that wanted to write more, and its partner. */
  readonly agentId: string;
  readonly partnerId: string;
  /** The agents that are given the decision: both, when their conversation ended by it. */
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
  // After "no" people are not asked again for this agent. "Go on" may have come after this call had read that
  // the chain is full.
  if (card === null || (card.state !== 'pending' && !saysGoOn(card))) return;
  for (const agentId of stop.waiting)
    await questions.insertFollower({ toolUseId: newId('toolu'), follows: card.toolUseId, agentId, now });
}

/**
 * Applies the decisions of people since the last call: "go on" adds the limit to the chain once more, and
 * people are asked again at the next limit. No answer, and "stop here", change nothing. The chain is locked.
 * Returns the number of added messages.
 */
export async function extendAllowedChain(tx: Tx, chainId: string, chainMax: number): Promise<number> {
  const card = await new QuestionQueries(tx.db).findAbout(aboutChain(chainId));
  if (card === null || !saysGoOn(card)) return 0;
  await addExtraMessages(tx.db, chainId, chainMax);
  return chainMax;
}

/**
 * Gives the decision about a chain to one agent that waits for it: "go on" wakes it if it sleeps. Called by
 * the sweeper.
 */
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
  // "Stop here" is given only to an agent with a live session: no session is started for it, and no later one
  // is given it.
  const goesOn = saysGoOn(led);
  if (!goesOn && !open.some(({ purpose, state }) => purpose === 'chat' && state === 'active')) return true;
  const answered = await questions.lock(card.toolUseId);
  if (!answered || !(await applyQuestionCommand(tx, answered, { type: 'orphan' }, now))) return false;
  const orphan = { ...answered, orphanedAt: now };
  const heardBy = await giveToSuccessor(tx, QUESTION_CARDS, orphan, {
    decidedBy: answeredBy,
    isAsked: true,
    now,
  });
  if (heardBy !== null && goesOn) await setChainOfCard(tx.db, heardBy);
  return true;
}
