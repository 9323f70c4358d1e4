import { aboutTimeOf } from './about-time.ts';
import { affectOf } from './affect-words.ts';
import { type Claim, claimsOf } from './claims.ts';
import { dueDayOf } from './due-day.ts';
import { entitiesOf } from './entities.ts';
import { normalised, sentencesOf } from './sentences.ts';
import type { StateUpdate, WritePlan } from './write-plan.ts';

/** An event as growth looks at it. */
export interface GrowingEvent {
  readonly id: string;
  readonly source: 'chat' | 'agent_conversation' | 'import' | 'remember' | 'vision_detail';
  readonly clientId: string;
  readonly actor: string | null;
  readonly userText: string | null;
  readonly assistantText: string | null;
  readonly caption: string | null;
  readonly createdAt: Date;
}

/** An open state of the same project. */
export interface KnownState {
  readonly id: string;
  readonly kind: 'fact' | 'relation' | 'task' | 'summary' | 'long_mood_state';
  readonly bodyText: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly aboutKey: string | null;
  readonly lastConfirmedAt: Date;
}

/** Tells of the same without naming what. */
const CAUSED =
  /^(?:because of (?:that|this)|therefore|that's why|so that|as a result|だから|そのため|それで|そのせいで|おかげで)/iu;
const MOST_THREADS = 3;

/** What of the event a person itself has said, which is a fact of that person. */
export function toldText({ source, userText, assistantText }: GrowingEvent): string | null {
  if (source === 'chat') return userText;
  return source === 'remember' ? assistantText : null;
}

/** Of whom it tells. */
export function subjectOf({ actor, clientId }: Pick<GrowingEvent, 'actor' | 'clientId'>): string {
  return normalised(actor ?? '') || clientId;
}

export function aboutKeyOf(event: GrowingEvent, claim: Pick<Claim, 'about'>): string | null {
  return claim.about === null ? null : `${subjectOf(event)}|${claim.about}`.slice(0, 300);
}

/** The claims of an event. */
export function claimsOfEvent(event: GrowingEvent): Claim[] {
  const told = toldText(event);
  return told === null ? [] : claimsOf(told);
}

/** What grows out of an event without a model. `previous`: the turn before it. */
export function growByRules(
  event: GrowingEvent,
  context: {
    readonly known: readonly KnownState[];
    readonly previousEventId: string | null;
    /** Of each entity the latest earlier event that names it. */
    readonly lastNaming: ReadonlyMap<string, string>;
    readonly timeZone: string;
  },
): WritePlan {
  const { userText, assistantText, caption } = event;
  const said = [userText, assistantText, caption].filter((text) => text !== null).join('\n');
  const entities = entitiesOf(said);
  const affect = event.source === 'import' ? null : affectOf(toldText(event) ?? '');
  const named = entities.filter(({ name }) => name !== normalised(event.actor ?? ''));
  const threads = named.slice(0, MOST_THREADS).map(({ name, confidence }) => ({ key: name, confidence }));
  const same = [...new Set(threads.flatMap(({ key }) => context.lastNaming.get(key) ?? []))].slice(
    0,
    MOST_THREADS,
  );
  const { previousEventId } = context;
  const isCaused = previousEventId !== null && CAUSED.test((userText ?? '').trim());
  return {
    annotation: aboutTimeOf(said, event.createdAt, context.timeZone),
    entities,
    affect,
    threads,
    links: [
      ...same.map((toEventId) => ({ toEventId, label: 'same_topic' as const, confidence: 0.6 })),
      ...(isCaused ? [{ toEventId: previousEventId, label: 'caused_by' as const, confidence: 0.5 }] : []),
    ],
    states: [
      ...updatesOf(event, claimsOfEvent(event), context.known, context.timeZone),
      ...doneTasks(event, context.known),
    ],
  };
}

function updatesOf(
  event: GrowingEvent,
  claims: readonly Claim[],
  known: readonly KnownState[],
  timeZone: string,
): StateUpdate[] {
  const updates: StateUpdate[] = [];
  claims.forEach((claim, index) => {
    const aboutKey = aboutKeyOf(event, claim);
    const same = known.find(
      (state) =>
        normalised(state.bodyText) === normalised(claim.text) ||
        (aboutKey !== null && state.aboutKey === aboutKey && toldValue(state) === claim.value),
    );
    const before =
      aboutKey === null ? [] : known.filter((state) => state.aboutKey === aboutKey && state !== same);
    const contradicted = before.filter((state) => toldValue(state) !== claim.value);
    const newer = contradicted.find(({ lastConfirmedAt }) => lastConfirmedAt > event.createdAt);
    updates.push({
      ...blank(event, index),
      stateId: same?.id ?? null,
      kind: same?.kind ?? claim.kind,
      bodyText: same?.bodyText ?? claim.text,
      payload: { ...payloadOf(claim, event, timeZone), ...(same && {}) },
      validFrom: same ? null : event.createdAt,
      // It was told before what is known already.
      validTo: newer ? newer.lastConfirmedAt : null,
      aboutKey,
      reason: same ? 'told again' : 'told',
    });
    if (newer) return;
    contradicted.forEach((state, place) => {
      updates.push({
        ...blank(event, 100 * (index + 1) + place),
        op: 'close',
        stateId: state.id,
        kind: state.kind,
        bodyText: state.bodyText,
        validTo: event.createdAt,
        reason: 'contradicted by what was told later',
      });
    });
  });
  return updates;
}

function payloadOf(claim: Claim, event: GrowingEvent, timeZone: string): Record<string, unknown> {
  const due = claim.kind === 'task' ? dueDayOf(claim.text, event.createdAt, timeZone) : null;
  return {
    ...claim.payload,
    subject_name: event.actor ?? event.clientId,
    ...(due !== null && { due, status: 'open' }),
  };
}

function toldValue({ payload, bodyText }: KnownState): string {
  const { polarity, value, allergy } = payload;
  if (typeof polarity === 'string') return polarity;
  if (typeof allergy === 'string') return 'yes';
  return normalised(typeof value === 'string' ? value : bodyText);
}

const DONE =
  /^i(?:'ve| have)? (?:already |just |finally )?(?:finished|done|completed|did|bought|called|sent|submitted|paid|booked|cleaned|returned|made|wrote)\b|(?:終わ(?:った|りました|らせ)|済ませ|済んだ|完了し|提出し|送っ|送りまし|買っ|買いまし|電話し|払っ|払いまし|予約し|返し)(?:た|ました)?/iu;
const LEAST_SHARED = 0.5;

/** The open tasks that a person says it has done: most of their words are in one sentence. */
function doneTasks(event: GrowingEvent, known: readonly KnownState[]): StateUpdate[] {
  if (event.source !== 'chat') return [];
  const done = sentencesOf(event.userText ?? '').filter((sentence) => DONE.test(sentence));
  const tasks = known.filter(({ kind, payload }) => kind === 'task' && payload.status !== 'done');
  return tasks.flatMap((task, index) => {
    const what = pieces(typeof task.payload.task === 'string' ? task.payload.task : task.bodyText);
    const isDone = done.some((sentence) => shared(what, pieces(sentence)) >= LEAST_SHARED);
    if (!isDone) return [];
    return [
      {
        ...blank(event, 10_000 + index),
        op: 'mark_done' as const,
        stateId: task.id,
        kind: task.kind,
        bodyText: task.bodyText,
        reason: 'said to be done',
      },
    ];
  });
}

const NO_PIECES = new Set(
  'a an the to by on in at of for and or my i it is before next this today tomorrow'.split(' '),
);

/** Words, and pairs of Han characters. */
function pieces(text: string): Set<string> {
  const plain = normalised(text);
  const words = [...plain.matchAll(/[a-z0-9']{2,}|\p{Script=Katakana}[\p{Script=Katakana}ー]+/gu)].map(
    ([word]) => word,
  );
  const pairs = [...plain.matchAll(/\p{Script=Han}{2,}/gu)].map(([run]) => run);
  return new Set([...words, ...pairs].filter((piece) => !NO_PIECES.has(piece)));
}

function shared(what: ReadonlySet<string>, there: ReadonlySet<string>): number {
  if (what.size === 0) return 0;
  return [...what].filter((piece) => there.has(piece)).length / what.size;
}

function blank(event: GrowingEvent, element: number): StateUpdate {
  return {
    op: 'upsert',
    element,
    stateId: null,
    kind: 'fact',
    bodyText: '',
    payload: {},
    confidence: 0.7,
    salience: null,
    validFrom: null,
    validTo: null,
    lastConfirmedAt: event.createdAt,
    evidence: [event.id],
    reason: '',
    aboutKey: null,
  };
}
