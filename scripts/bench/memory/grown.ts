import { growAgent } from '@aizuchi/shared/core/memory/growth/grow-agent';
import type { Grower } from '@aizuchi/shared/core/memory/growth/model-grower';
import { entitiesOf } from '@aizuchi/shared/core/memory/rules/growth/entities';
import { isQuestion, sentencesOf } from '@aizuchi/shared/core/memory/rules/growth/sentences';
import type { Database } from '@aizuchi/shared/platform/db/database';
import type { Logger } from '@aizuchi/shared/platform/logger';

/**
 * Writes what a model would: one fact of what was said, whom and what it names, and its topic as a thread. It invents
 * nothing and knows no question.
 */
export const scriptedGrower: Grower = async ({ event }) => {
  const text = event.userText ?? '';
  const entities = entitiesOf(text);
  const said = sentencesOf(text).filter((sentence) => !isQuestion(sentence));
  return {
    event_annotations: { entities },
    state_updates: said.slice(0, 1).map((sentence) => ({
      op: 'upsert',
      state_id: null,
      kind: 'fact',
      body_text: `${event.actor ?? ''}: ${sentence}`,
      payload: {},
      confidence: 0.8,
      reason: 'scripted',
    })),
    event_affect: null,
    context_updates: {
      threads: entities.slice(0, 2).map(({ name }) => ({ thread_key: name, confidence: 0.8 })),
      links: [],
    },
  };
};

/** Lets a memory grow to its end; events a second. */
export async function growAll(
  { database, logger }: { database: Database; logger: Logger },
  agentId: string,
  grower?: Grower,
): Promise<number> {
  const startedAt = performance.now();
  const { signal } = new AbortController();
  const { applied } = await growAgent({ database, logger, timeZone: 'Asia/Tokyo', grower }, agentId, signal);
  return applied / ((performance.now() - startedAt) / 1_000);
}
