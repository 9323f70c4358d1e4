export interface Finding {
  /** bad: it will not work. note: it works, and a person should know this. */
  readonly kind: 'good' | 'note' | 'bad';
  readonly about: string;
  readonly sentence: string;
}

const finding =
  (kind: Finding['kind']) =>
  (about: string, sentence: string): Finding => ({ kind, about, sentence });
export const good = finding('good');
export const note = finding('note');
export const bad = finding('bad');
