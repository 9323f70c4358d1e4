import { z } from 'zod';
import { ENTITY_TYPES, LIFE_STAGES, LINK_LABELS, STATE_KINDS } from '../../../contract/memory.ts';
import type { WritePlan } from '../rules/growth/write-plan.ts';
import { NOTHING_SEEN, seenSchema } from './seen.ts';

const date = z.coerce.date();
const nullableDate = z.union([z.null(), date]);

const planSchema = z.object({
  annotation: z
    .object({
      aboutStart: nullableDate,
      aboutEnd: nullableDate,
      aboutYearStart: z.int().nullable(),
      aboutYearEnd: z.int().nullable(),
      lifeStage: z.enum(LIFE_STAGES),
      confidence: z.number(),
    })
    .nullable(),
  entities: z.array(
    z.object({ type: z.enum(ENTITY_TYPES), name: z.string(), label: z.string(), confidence: z.number() }),
  ),
  states: z.array(
    z.object({
      op: z.enum(['upsert', 'close', 'mark_done']),
      element: z.int(),
      stateId: z.string().nullable(),
      kind: z.enum(STATE_KINDS),
      bodyText: z.string(),
      payload: z.record(z.string(), z.unknown()),
      confidence: z.number(),
      salience: z.number().nullable(),
      validFrom: nullableDate,
      validTo: nullableDate,
      lastConfirmedAt: nullableDate,
      evidence: z.array(z.string()),
      reason: z.string(),
      aboutKey: z.string().nullable(),
    }),
  ),
  affect: z
    .object({
      text: z.string(),
      labels: z.array(z.string()),
      vad: z.object({ v: z.number(), a: z.number(), d: z.number() }),
      confidence: z.number(),
    })
    .nullable(),
  threads: z.array(z.object({ key: z.string(), confidence: z.number() })),
  links: z.array(z.object({ toEventId: z.string(), label: z.enum(LINK_LABELS), confidence: z.number() })),
}) satisfies z.ZodType<WritePlan>;

/** A plan as it stands in the database until it is applied, with what its model has seen. */
export const storedPlanSchema = planSchema.extend({ seen: seenSchema.catch(NOTHING_SEEN) });
