const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The first grapheme of a name in upper case; it may be a kanji or an emoji. */
export function initialOf(name: string): string {
  const [first] = graphemes.segment(name.trim());
  return (first?.segment ?? '?').toLocaleUpperCase();
}
