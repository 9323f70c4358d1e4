/** Stands in a text of the catalog for the value that gets an element of its own. */
export const SUBJECT = '\ufffc';

/** The words before and after the subject, in the order of the language. */
export function aroundSubject(text: string): readonly [before: string, after: string] {
  const [before = '', after = ''] = text.split(/[\u2066-\u2069]*\ufffc[\u2066-\u2069]*/);
  return [before, after];
}
