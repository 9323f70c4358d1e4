import { z } from 'zod';
import { ENTITY_TYPES, LIFE_STAGES, LINK_LABELS, STATE_KINDS } from '../../../contract/memory.ts';
import { beginningOf, isStorableText, storableText } from '../../rules/storable-text.ts';
import { isName } from '../rules/growth/entities.ts';
import { normalised } from '../rules/growth/sentences.ts';
import type { Affect, Annotation, Entity, StateUpdate, WritePlan } from '../rules/growth/write-plan.ts';

/** What of a plan can be used, and of the rest what it was and why not. */
export interface CleanPlan {
  readonly plan: WritePlan;
  readonly dropped: string[];
}

const MOST = { states: 40, entities: 40, threads: 10, links: 20, labels: 6, evidence: 20, dropped: 50 };
const LONGEST = { body: 1_200, reason: 500, payload: 4_000, label: 24, affect: 600, thread: 120, id: 80 };

const text = (length: number) =>
  z.string().transform((value) => beginningOf(storableText(value), length).trim());
const share = z
  .number()
  .transform((value) => Math.min(1, Math.max(0, value)))
  .catch(0.5);
const axis = z
  .number()
  .transform((value) => Math.min(1, Math.max(-1, value)))
  .catch(0);
const instant = z
  .string()
  .max(40)
  .transform((value) => new Date(value))
  .refine((value) => isInstant(value))
  .nullable()
  .catch(null);
const year = z.int().min(1).max(9_999).nullable().catch(null);
const idText = z.string().max(LONGEST.id).refine(isStorableText);

const annotationSchema = z.object({
  about_start_ts: instant,
  about_end_ts: instant,
  about_year_start: year,
  about_year_end: year,
  life_stage: z.enum(LIFE_STAGES).catch(''),
  about_time_confidence: share,
});
const entitySchema = z.object({
  type: z
    .string()
    .transform((type) => type.toLowerCase())
    .pipe(z.enum(ENTITY_TYPES)),
  name: z.string().max(400),
  confidence: share,
});
const stateSchema = z.object({
  op: z.enum(['upsert', 'close', 'mark_done']),
  state_id: idText.nullable().catch(null),
  kind: z.enum(STATE_KINDS),
  body_text: text(LONGEST.body).catch(''),
  payload: z.record(z.string(), z.unknown()).catch({}),
  confidence: share,
  salience: share.nullable().catch(null),
  valid_from_ts: instant,
  valid_to_ts: instant,
  last_confirmed_at: instant,
  evidence_event_ids: z.array(z.unknown()).catch([]),
  reason: text(LONGEST.reason).catch(''),
});
const affectSchema = z.object({
  moment_affect_text: text(LONGEST.affect).catch(''),
  moment_affect_labels: z.array(z.unknown()).catch([]),
  moment_affect_score_vad: z.object({ v: axis, a: axis, d: axis }),
  moment_affect_confidence: share,
});
const threadSchema = z.object({
  // Cut afterwards: a character may become eighteen when it is normalised.
  thread_key: text(LONGEST.thread)
    .transform((key) => beginningOf(normalised(key), LONGEST.thread).trim())
    .pipe(z.string().min(1)),
  confidence: share,
});
const linkSchema = z.object({ to_event_id: idText, label: z.enum(LINK_LABELS), confidence: share });

/** Reads what a model has answered, each element by itself. Nothing of it is checked against a database yet. */
export function cleanWritePlan(value: unknown): CleanPlan {
  const notes = new Notes();
  const whole = recordOf(value);
  if (!whole) notes.add('plan', 'is no object');
  const annotations = recordOf(whole?.event_annotations);
  const context = recordOf(whole?.context_updates);
  const plan: WritePlan = {
    annotation: annotationOf(annotations),
    entities: entitiesIn(annotations?.entities, notes),
    states: statesIn(whole?.state_updates, notes),
    affect: affectIn(whole?.event_affect, notes),
    threads: each(context?.threads, { name: 'threads', most: MOST.threads, schema: threadSchema }, notes).map(
      ({ thread_key: key, confidence }) => ({ key, confidence }),
    ),
    links: each(context?.links, { name: 'links', most: MOST.links, schema: linkSchema }, notes).map(
      ({ to_event_id: toEventId, ...link }) => ({ toEventId, ...link }),
    ),
  };
  return { plan, dropped: notes.list };
}

/** Bounded: a plan may hold any number of wrong elements. */
export class Notes {
  readonly list: string[] = [];

  add(what: string, why: string): void {
    if (this.list.length < MOST.dropped) this.list.push(`${what}: ${why}`);
  }
}

function annotationOf(value: Record<string, unknown> | null): Annotation | null {
  const parsed = annotationSchema.safeParse({ ...value });
  if (!parsed.success) return null;
  const { about_start_ts: start, about_end_ts: end, life_stage: lifeStage } = parsed.data;
  const { about_year_start: from, about_year_end: to, about_time_confidence: confidence } = parsed.data;
  if (start === null && end === null && from === null && to === null && lifeStage === '') return null;
  const [first, last] = [from ?? to, to ?? from];
  const inOrder = first === null || last === null || first <= last;
  return {
    aboutStart: start,
    aboutEnd: end !== null && start !== null && end < start ? null : end,
    aboutYearStart: inOrder ? first : last,
    aboutYearEnd: inOrder ? last : first,
    lifeStage,
    confidence,
  };
}

function entitiesIn(value: unknown, notes: Notes): Entity[] {
  const found = new Map<string, Entity>();
  const given = each(value, { name: 'entities', most: MOST.entities, schema: entitySchema }, notes);
  for (const { type, name: written, confidence } of given) {
    const label = beginningOf(storableText(written), 80).trim();
    const name = normalised(label);
    if (!isName(name)) {
      notes.add('entities', 'names nothing');
      continue;
    }
    const known = found.get(`${type} ${name}`);
    if (!known || known.confidence < confidence)
      found.set(`${type} ${name}`, { type, name, label, confidence });
  }
  return [...found.values()];
}

function statesIn(value: unknown, notes: Notes): StateUpdate[] {
  return each(value, { name: 'state_updates', most: MOST.states, schema: stateSchema }, notes).flatMap(
    (state, index) => {
      const isTold = state.op !== 'upsert' || state.body_text !== '';
      if (!isTold) notes.add(`state_updates[${index}]`, 'has no body_text');
      const payload = payloadOf(state.payload);
      if (payload === null) notes.add(`state_updates[${index}].payload`, 'is too long or not storable');
      const evidence = state.evidence_event_ids.filter((id): id is string => idText.safeParse(id).success);
      return isTold
        ? [
            {
              op: state.op,
              element: index,
              stateId: state.state_id,
              kind: state.kind,
              bodyText: state.body_text,
              payload: payload ?? {},
              confidence: state.confidence,
              salience: state.salience,
              validFrom: state.valid_from_ts,
              validTo: state.valid_to_ts,
              lastConfirmedAt: state.last_confirmed_at,
              evidence: evidence.slice(0, MOST.evidence),
              reason: state.reason,
              aboutKey: null,
            },
          ]
        : [];
    },
  );
}

function affectIn(value: unknown, notes: Notes): Affect | null {
  if (value === null || value === undefined) return null;
  const parsed = affectSchema.safeParse(value);
  if (!parsed.success) {
    notes.add('event_affect', whyOf(parsed.error));
    return null;
  }
  const { moment_affect_labels: labels, moment_affect_score_vad: vad } = parsed.data;
  const words = labels.flatMap((label) => {
    const word = z.string().safeParse(label).data;
    return word === undefined ? [] : beginningOf(storableText(word), LONGEST.label).trim() || [];
  });
  return {
    text: parsed.data.moment_affect_text,
    labels: [...new Set(words)].slice(0, MOST.labels),
    vad,
    confidence: parsed.data.moment_affect_confidence,
  };
}

function each<S extends z.ZodType>(
  value: unknown,
  { name, most, schema }: { name: string; most: number; schema: S },
  notes: Notes,
): z.output<S>[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    notes.add(name, 'is no list');
    return [];
  }
  if (value.length > most) notes.add(name, `${value.length - most} more than ${most}`);
  return value.slice(0, most).flatMap((one: unknown, index) => {
    const parsed = schema.safeParse(one);
    if (parsed.success) return [parsed.data];
    notes.add(`${name}[${index}]`, whyOf(parsed.error));
    return [];
  });
}

function payloadOf(payload: Record<string, unknown>): Record<string, unknown> | null {
  const written = JSON.stringify(payload);
  // Escaped by JSON, a text that Postgres refuses is well-formed.
  if (written.length > LONGEST.payload || /\\u0000|\\ud[89a-f]/iu.test(written)) return null;
  return payload;
}

function whyOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return beginningOf(
    storableText(`${issue?.path.map(String).join('.') ?? ''} ${issue?.message ?? 'is not valid'}`.trim()),
    200,
  );
}

function recordOf(value: unknown): Record<string, unknown> | null {
  return z.record(z.string(), z.unknown()).safeParse(value).data ?? null;
}

function isInstant(value: Date): boolean {
  return value.getTime() > -62_135_596_800_000 && value.getTime() < 253_402_300_800_000;
}
