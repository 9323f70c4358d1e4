import type { Scene } from './scene.ts';

/** A state of the page that shows what a row promises. */
export interface RowState {
  readonly name: string;
  /** Brings the page into the state. Throws if what the row promises is not on the page. */
  readonly show: (scene: Scene) => Promise<void>;
}

/** A row of the list of what daily use needs. */
export interface Row {
  /** `01` to `19`, or `d1` to `d6` for what was missing. */
  readonly id: string;
  /** What should be. */
  readonly promise: string;
  readonly states: readonly RowState[];
}

export interface Picture {
  readonly row: string;
  readonly state: string;
  readonly language: string;
  readonly look: string;
  /** Beside the contact sheet. */
  readonly file: string;
  /** Why the state was not reached; the picture is what the page showed then. */
  readonly failure?: string;
}
