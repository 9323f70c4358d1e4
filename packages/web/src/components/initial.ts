const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The first letter as a person reads it, also of a name in kanji or with an emoji. */
export function initialOf(name: string): string {
  const [first] = graphemes.segment(name.trim());
  return (first?.segment ?? '?').toLocaleUpperCase();
}
