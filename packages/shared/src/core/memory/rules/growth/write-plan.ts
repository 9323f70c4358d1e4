/** What is to grow out of one event, after every element was checked by itself. */
export interface WritePlan {
  readonly annotation: Annotation | null;
  readonly entities: readonly Entity[];
  readonly states: readonly StateUpdate[];
  readonly affect: Affect | null;
  readonly threads: readonly { readonly key: string; readonly confidence: number }[];
  readonly links: readonly {
    readonly toEventId: string;
    readonly label: 'reply_to' | 'same_topic' | 'caused_by' | 'continuation';
    readonly confidence: number;
  }[];
}

export type LifeStage = 'elementary' | 'middle' | 'high' | 'university' | 'work' | '';

export interface Annotation {
  readonly aboutStart: Date | null;
  readonly aboutEnd: Date | null;
  readonly aboutYearStart: number | null;
  readonly aboutYearEnd: number | null;
  readonly lifeStage: LifeStage;
  readonly confidence: number;
}

export type EntityType = 'person' | 'org' | 'place' | 'project' | 'tool' | 'topic';

export interface Entity {
  readonly type: EntityType;
  /** As it is compared. */
  readonly name: string;
  /** As it was written. */
  readonly label: string;
  readonly confidence: number;
}

export interface Vad {
  readonly v: number;
  readonly a: number;
  readonly d: number;
}

export interface Affect {
  readonly text: string;
  readonly labels: readonly string[];
  readonly vad: Vad;
  readonly confidence: number;
}

export interface StateUpdate {
  readonly op: 'upsert' | 'close' | 'mark_done';
  /** Its place in the plan: part of the id of a new state, so that the same plan makes the same one. */
  readonly element: number;
  /** null: a new one. */
  readonly stateId: string | null;
  readonly kind: 'fact' | 'relation' | 'task' | 'summary' | 'long_mood_state';
  readonly bodyText: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly confidence: number;
  readonly salience: number | null;
  readonly validFrom: Date | null;
  readonly validTo: Date | null;
  readonly lastConfirmedAt: Date | null;
  readonly evidence: readonly string[];
  readonly reason: string;
  /** By rules: of whom it tells what. An open state of the same key is confirmed, or ends. */
  readonly aboutKey: string | null;
}

/** What texts of a memory may hold; a text of a megabyte is looked at in this part only. */
export const LOOKED_AT = 8_000;
