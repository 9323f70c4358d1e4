import { recognise } from '../intent.ts';
import { mentionsShiritori } from './trace.ts';
import { firstSound, kanaWord, type Word } from './words/kana.ts';
import { wordOfRomaji } from './words/romaji.ts';
import type { WordList } from './words/word-list.ts';

/** The possible meanings of a text in a game. */
export type Move =
  | { readonly kind: 'word'; readonly word: Word }
  | { readonly kind: 'stop' }
  /** It looks like a word, in kanji that the list does not know. */
  | { readonly kind: 'unreadable'; readonly writing: string }
  | { readonly kind: 'other' };

interface Candidate {
  readonly word: Word;
  readonly known: boolean;
}

/** More Latin words than these are a sentence, in which "same" is no shark. */
const MAX_PIECES_IN_ROMAJI = 2;
const LONGEST_WORD = 12;
const LONGEST_WRITING = 8;

const STOP = [
  /やめ(?:る|ます|ましょう|よう|たい|て|に)|終わりに|終わろう|おしまい|降参|ギブ(?:アップ)?|ストップ/,
  /(?:参|まい)(?:った|りました)|負け(?:ました|た|です)|思い(?:つか|浮かば)な|思い(?:つき|浮かび)ません/,
  /^(?:もう)?(?:終わり|おわり|終了|わからない|分からない|わかりません|分かりません)(?:です)?$/,
  /\b(?:stop|quit|give up|you win|i lose|no idea|enough|end the game)\b/i,
];
const ENGLISH_INVITATION = /[^.!?\n]*shiritori[^.!?\n]*/gi;
const BREAKS = /[\s。．.！!？?、,，・…:：;「」『』"“”()（）♪]+/u;
const QUOTED = /[「『"“]([^「」『』"“”]{2,})[」』"”]/u;
const FILLER =
  /^(?:(?:じゃあ?|では|えっと|ええと|えーと|うーん|うん|はい|よし|いい(?:です)?[ねよ]|そう(?:だな|ですね)|次は|つぎは|私は|どうぞ)|(?:ok|okay|yes|sure|well|hmm|then|my word is|how about|it's|i say))$/i;
const POLITE_ENDING = /(?:です|にします)[よねが]?$|だ[よね]$/;
/** A whole sentence in kana is no noun. */
const SENTENCE = /(?:ない|です|ます|ません|ました|して|った|ください|かな|だね|だよ|なの|よね)$/;
/** Some nouns end like a part of a sentence: みょうが. A short one is a word where its first sound is wanted. */
const PARTICLE = /[はがをにへも]$/;
const LONGEST_DOUBTFUL_WORD = 5;

/** Reads one text of the other side; `wanted` is the sound that the next word has to begin with. */
export function readMove(text: string, wanted: string | undefined, list: WordList): Move {
  const normal = text.normalize('NFKC').trim();
  if (STOP.some((pattern) => pattern.test(normal))) return { kind: 'stop' };
  const alone = wantedFiller(normal, wanted, list);
  if (alone !== undefined) return { kind: 'word', word: alone };
  const { pieces, quoted } = piecesOf(normal);
  const candidates = pieces.flatMap((piece) =>
    candidatesOf(piece, pieces.length <= MAX_PIECES_IN_ROMAJI, list),
  );
  const fits = (candidate: Candidate) => wanted === undefined || firstSound(candidate.word) === wanted;
  const known = candidates.filter(({ known, word }) => known && (word.length > 1 || pieces.length === 1));
  const best = known.find(fits) ?? known[0];
  if (best) return { kind: 'word', word: best.word };
  const [only] = pieces;
  if (only === undefined || pieces.length > 1) return { kind: 'other' };
  const noun = only.replace(POLITE_ENDING, '');
  const isWanted = firstSound(kanaWord(noun) ?? '') === wanted && noun.length <= LONGEST_DOUBTFUL_WORD;
  if ((PARTICLE.test(noun) && !isWanted) || isTalk(quoted ? only : normal)) return { kind: 'other' };
  const unknown = candidates.find(fits) ?? candidates[0];
  if (unknown && unknown.word.length <= LONGEST_WORD) return { kind: 'word', word: unknown.word };
  const looksLikeWord = /\p{Script=Han}/u.test(only) && only.length <= LONGEST_WRITING;
  return looksLikeWord ? { kind: 'unreadable', writing: only } : { kind: 'other' };
}

/** A filler that is all of the text may be a word too, はい for one: it is, where it has the sound that is wanted. */
function wantedFiller(text: string, wanted: string | undefined, list: WordList): Word | undefined {
  const [only = '', ...others] = text.split(BREAKS).filter((part) => part !== '');
  if (others.length > 0 || !FILLER.test(only) || text.endsWith('?')) return undefined;
  const word = kanaWord(only);
  return word !== undefined && list.has(word) && firstSound(word) === wanted ? word : undefined;
}

function isTalk(text: string): boolean {
  const bare = text.replace(/[。.！!]+$/, '').replace(POLITE_ENDING, '');
  return /[？?]$/.test(text) || SENTENCE.test(bare) || recognise(text).intent !== 'unknown';
}

/** The parts that may be a word: what is quoted if anything is, else all but the fillers. */
function piecesOf(text: string): { pieces: string[]; quoted: boolean } {
  const quoted = QUOTED.exec(text)?.[1];
  if (quoted !== undefined && !mentionsShiritori(quoted)) return { pieces: [quoted], quoted: true };
  const pieces = text
    .replace(ENGLISH_INVITATION, '')
    .split(BREAKS)
    .filter((part) => part !== '' && !FILLER.test(part) && !mentionsShiritori(part));
  return { pieces, quoted: false };
}

function candidatesOf(piece: string, mayBeRomaji: boolean, list: WordList): Candidate[] {
  const drawn = piece.replace(/[~〜]+$/u, '');
  const forms = new Set([drawn.replace(POLITE_ENDING, ''), drawn, drawn.replace(/ー+$/, '')]);
  const readings = [...forms].flatMap((form) => [
    ...[kanaWord(form), mayBeRomaji ? wordOfRomaji(form) : undefined].filter((word) => word !== undefined),
    ...list.readingsOf(form),
  ]);
  return readings.map((word) => ({ word, known: list.has(word) }));
}
