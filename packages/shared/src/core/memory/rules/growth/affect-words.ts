import { type Affect, LOOKED_AT, type Vad } from './write-plan.ts';

interface Feeling {
  readonly label: string;
  readonly words: RegExp;
  readonly vad: Vad;
}

/** Unpleasant to pleasant, calm to aroused, passive to dominant. */
const FEELINGS: readonly Feeling[] = [
  {
    label: 'joy',
    words:
      /嬉し|うれし|楽し(?!み)|たのし(?!み)|最高|幸せ|しあわせ|やった[ー!！]|\b(?:happy|glad|delighted|great news|wonderful|joy(?:ful)?|fun|awesome|fantastic|yay)\b/iu,
    vad: { v: 0.8, a: 0.5, d: 0.3 },
  },
  { label: 'love', words: /大好き|愛して|\b(?:love|adore)\b/iu, vad: { v: 0.8, a: 0.3, d: 0.2 } },
  {
    label: 'pride',
    words: /誇らし|合格し|優勝|成功し|\b(?:proud|succeeded|passed the|won the|promoted)\b/iu,
    vad: { v: 0.7, a: 0.5, d: 0.6 },
  },
  {
    label: 'thanks',
    words: /ありがと|感謝|助かりまし|助かった|\b(?:thank(?:s| you)|grateful|appreciate)\b/iu,
    vad: { v: 0.5, a: 0.1, d: 0 },
  },
  {
    label: 'hope',
    words: /楽しみ|期待して|\b(?:looking forward|excited|can't wait|hopeful)\b/iu,
    vad: { v: 0.6, a: 0.5, d: 0.2 },
  },
  {
    label: 'relief',
    words: /ほっとし|ホッとし|安心し|よかった|\b(?:relieved|relief|thank goodness)\b/iu,
    vad: { v: 0.5, a: -0.4, d: 0.1 },
  },
  {
    label: 'calm',
    words: /落ち着い|のんびり|くつろ|\b(?:calm|relaxed|peaceful)\b/iu,
    vad: { v: 0.4, a: -0.6, d: 0.1 },
  },
  {
    label: 'sadness',
    words:
      /悲し|かなし|寂し|さみし|泣い|亡くな|つら[いく]|辛い(?!もの|料理|カレー)|\b(?:sad|unhappy|heartbroken|cried|crying|grief|mourn|lonely|passed away|died)\b/iu,
    vad: { v: -0.8, a: -0.2, d: -0.5 },
  },
  {
    label: 'anger',
    words: /怒っ|腹が立|むかつ|許せな|イライラ|いらいら|\b(?:angry|furious|mad at|annoyed|hate|outraged)\b/iu,
    vad: { v: -0.7, a: 0.8, d: 0.3 },
  },
  {
    label: 'fear',
    words: /怖い|こわい|恐ろし|不安|心配|\b(?:afraid|scared|fear|worried|anxious|nervous|terrified)\b/iu,
    vad: { v: -0.6, a: 0.6, d: -0.6 },
  },
  {
    label: 'tired',
    words: /疲れ|つかれ|眠い|だるい|しんどい|\b(?:tired|exhausted|worn out|sleepy|burned out)\b/iu,
    vad: { v: -0.4, a: -0.6, d: -0.4 },
  },
  {
    label: 'shame',
    words: /恥ずかし|申し訳な|\b(?:ashamed|embarrassed|guilty)\b/iu,
    vad: { v: -0.5, a: 0.2, d: -0.6 },
  },
  {
    label: 'disappointed',
    words: /がっかり|残念|落ち込|\b(?:disappointed|disappointing|let down|unfortunately|failed)\b/iu,
    vad: { v: -0.6, a: -0.2, d: -0.3 },
  },
  {
    label: 'surprise',
    words: /びっくり|驚い|まさか|\b(?:surprised|astonished|unbelievable|shocked)\b/iu,
    vad: { v: 0.1, a: 0.8, d: -0.1 },
  },
];
const MOST_LABELS = 6;
const NEGATED = /(?:not|n't|never|no longer)\s+(?:\w+\s+){0,2}$/iu;
const NEGATED_AFTER = /^\S{0,3}(?:ない|なかった|ありません|くな)/u;

/** The labels of the feelings that a text names. */
export function feelingsIn(text: string): string[] {
  return named(text).map(({ label }) => label);
}

/** What a text says about how somebody feels. null: nothing. */
export function affectOf(text: string): Affect | null {
  const found = named(text).slice(0, MOST_LABELS);
  if (found.length === 0) return null;
  const mean = (axis: keyof Vad) =>
    Math.round((found.reduce((sum, { vad }) => sum + vad[axis], 0) / found.length) * 1_000) / 1_000;
  const labels = found.map(({ label }) => label);
  return {
    text: labels.join(', '),
    labels,
    vad: { v: mean('v'), a: mean('a'), d: mean('d') },
    confidence: 0.6,
  };
}

function named(text: string): Feeling[] {
  const plain = text.slice(0, LOOKED_AT).normalize('NFKC');
  return FEELINGS.filter(({ words }) => {
    const hit = words.exec(plain);
    if (!hit) return false;
    const [before, after] = [plain.slice(0, hit.index), plain.slice(hit.index + hit[0].length)];
    return !NEGATED.test(before.slice(-40)) && !NEGATED_AFTER.test(after.slice(0, 8));
  });
}
