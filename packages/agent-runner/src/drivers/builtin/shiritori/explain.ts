import { type Game, wantedSound } from './game.ts';
import type { BrokenRule } from './rules.ts';
import type { ShiritoriTexts } from './texts-shape.ts';
import type { Word } from './words/kana.ts';

/** A broken rule, said kindly, with what would be right. */
export function explainBrokenRule(broken: BrokenRule, word: Word, game: Game, texts: ShiritoriTexts): string {
  const before = game.said.at(-1) ?? '';
  const sound = wantedSound(game) ?? '';
  switch (broken) {
    case 'wrong_start':
      return [texts.wrongStart(word, before, sound), ...(before.endsWith('ー') ? [texts.longMark] : [])].join(
        '\n',
      );
    case 'repeated':
      return texts.repeated(word, sound);
    case 'too_short':
      return texts.tooShort(word);
  }
}
