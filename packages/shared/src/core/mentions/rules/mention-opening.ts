/** Of these scripts words follow one another without a space: 「@高橋さん」 calls 高橋. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const IN_WORD = /[\p{L}\p{N}_]/u;

/** Whether an `@` after this text can begin a mention: in a@b, a/@b and \@b it does not. */
export function opensMention(before: string): boolean {
  const [last = ''] = /.$/su.exec(before.slice(-2)) ?? [];
  return last === '' || !(isSpacedWord(last) || '.+-/@\\'.includes(last));
}

/** A letter or digit of a script that puts spaces between words. */
export function isSpacedWord(character: string): boolean {
  return IN_WORD.test(character) && !UNSPACED.test(character);
}
