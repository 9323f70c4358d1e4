const BEFORE = [
  /^(?:(?:please|and|so|ok(?:ay)?)[,\s]+)*(?:(?:can|could|would) you\s+)?(?:please\s+)?(?:remember|note|memori[sz]e|keep in mind|don't forget|do not forget|make a note)(?:\s+(?:down|this))?(?:\s+that\b|\s*[:,：、-])?\s*(?=\S)/iu,
  /^(?:これを?|次のことを?|以下を?)?(?:覚え|おぼえ|記憶し|メモし)(?:て|と)(?:おい)?(?:て)?(?:ください|下さい|ね|くれ|ほしい)?\s*[:：、。,]\s*(?=\S)/u,
];
const AFTER = [
  /[、,\s]*(?:(?:という|って)?(?:こと|の)?(?:を|は)?|と)?(?:ちゃんと|よく|しっかり)?(?:覚え|おぼえ|記憶し|メモし)(?:て(?:おい)?て?|とい?て)(?:ください|下さい|くださいね|ね|くれますか|もらえますか|くれ|ほしい(?:です)?)?[。.!！\s]*$/u,
  /[,\s]+(?:please\s+)?(?:remember (?:that|this|it)|keep (?:that|this|it) in mind|don't forget(?: (?:that|it))?)[.!\s]*$/iu,
];
const CORRECTS = [
  /^(?:actually|correction|sorry|no|wait|well|oh|i meant|to correct myself)\s*[,:;.!-]\s*/iu,
  /^(?:いや|いえ|違う|違います|違った|ちがう|訂正|訂正します|間違えた|間違えました|すみません|ごめん|実は|やっぱり|そうじゃなくて)[、。,:：!！\s]+/u,
];
const NOT_THE_OTHER = /,?\s+(?:and\s+)?not\s+(?:on\s+|in\s+|at\s+)?[^,.]{1,40}$/iu;

/** A text that was told to be remembered, without the words that tell it. */
export function withoutCommand(text: string): string {
  const bare = [...BEFORE, ...AFTER].reduce((rest, pattern) => rest.replace(pattern, ''), text.trim()).trim();
  return /[\p{L}\p{N}]/u.test(bare) ? bare : text.trim();
}

/** A sentence without the words by which it corrects what was said before. */
export function withoutCorrection(sentence: string): { readonly text: string; readonly corrects: boolean } {
  let text = sentence;
  for (let round = 0; round < 3; round += 1)
    text = CORRECTS.reduce((rest, pattern) => rest.replace(pattern, ''), text);
  const corrects = text !== sentence;
  return { text: corrects ? text.replace(NOT_THE_OTHER, '') : text, corrects };
}
