import { sql } from 'kysely';
import type { QuestionItem } from '../../src/contract/question.ts';
import type { ServiceWorld, WorldAgent } from '../../src/testing/service-world.ts';

const option = (label: string) => ({ label, description: '' });

/** One question with the options A and B. */
export function ask(text: string, more: Partial<QuestionItem> = {}): QuestionItem[] {
  return [
    { question: text, header: 'Choice', options: [option('A'), option('B')], multiSelect: false, ...more },
  ];
}

/** A warm agent that works on a person's message: the usual asker. */
export async function workingAgent(world: ServiceWorld) {
  const membership = await world.agentInProject();
  const signedIn = await world.warmAgent(membership);
  await world.chat.post(world.owner, { ...membership, content: 'Please decide' });
  await world.delivery.take(signedIn.caller);
  return { membership, ...signedIn };
}

export async function cardOf(world: ServiceWorld, toolUseId: string) {
  return world.database.db
    .selectFrom('userQuestions')
    .selectAll()
    .where('toolUseId', '=', toolUseId)
    .executeTakeFirstOrThrow();
}

/** What people see of an agent's cards: text and status, the newest first. */
export async function seenCards(world: ServiceWorld, membership: WorldAgent): Promise<string[]> {
  const { questions } = await world.questions.list(world.owner, membership.projectId, {
    agentId: membership.agentId,
    limit: 200,
  });
  return questions.map((card) => `${card.questions[0]?.question} ${card.status}`);
}

/** Changes the setting, and lets the time go by in which processes may not know it. */
export async function questionTimeout(world: ServiceWorld, seconds: number | null): Promise<void> {
  await sql`update app_settings set question_timeout_seconds = ${seconds}`.execute(world.database.db);
  world.clock.advance(2_000);
}
