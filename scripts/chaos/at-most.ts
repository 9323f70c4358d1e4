/** The first few texts, which are enough to investigate. */
export function atMost(texts: readonly string[], most = 5): readonly string[] {
  return texts.length <= most
    ? texts
    : [...texts.slice(0, most), `… and ${texts.length - most} more like this`];
}
