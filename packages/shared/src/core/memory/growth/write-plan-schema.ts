import { z } from 'zod';
import { ENTITY_TYPES, LIFE_STAGES, LINK_LABELS, STATE_KINDS } from '../../../contract/memory.ts';

const iso = z.string().nullable();
const year = z.int().nullable();
const share = z.number().min(0).max(1);
const axis = z.number().min(-1).max(1);

/** What a model is asked for (memory.md). */
export const writePlanSchema = z.object({
  event_annotations: z.object({
    about_start_ts: iso,
    about_end_ts: iso,
    about_year_start: year,
    about_year_end: year,
    life_stage: z.enum(LIFE_STAGES),
    about_time_confidence: share,
    entities: z.array(z.object({ type: z.enum(ENTITY_TYPES), name: z.string(), confidence: share })),
  }),
  state_updates: z.array(
    z.object({
      op: z.enum(['upsert', 'close', 'mark_done']),
      state_id: z.string().nullable(),
      kind: z.enum(STATE_KINDS),
      body_text: z.string(),
      payload: z.record(z.string(), z.unknown()),
      confidence: share,
      salience: share,
      valid_from_ts: iso,
      valid_to_ts: iso,
      last_confirmed_at: iso,
      evidence_event_ids: z.array(z.string()),
      reason: z.string(),
    }),
  ),
  event_affect: z
    .object({
      moment_affect_text: z.string(),
      moment_affect_labels: z.array(z.string()).max(6),
      moment_affect_score_vad: z.object({ v: axis, a: axis, d: axis }),
      moment_affect_confidence: share,
    })
    .nullable(),
  context_updates: z.object({
    threads: z.array(z.object({ thread_key: z.string(), confidence: share })),
    links: z.array(z.object({ to_event_id: z.string(), label: z.enum(LINK_LABELS), confidence: share })),
  }),
});
