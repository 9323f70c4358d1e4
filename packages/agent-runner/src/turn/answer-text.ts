import { MAX_AGENT_MESSAGE_LENGTH } from '@aizuchi/shared/contract/chat';
import { codePointLength } from '@aizuchi/shared/contract/ids';
import { storableText } from '@aizuchi/shared/core/rules/storable-text';

/** Sentences of the runner and of the driver that may follow the text, in code points. */
const MAX_SENTENCES_LENGTH = 1_000;
/** What is kept of the text of a driver, in code points. */
export const MAX_ANSWER_TEXT_LENGTH = MAX_AGENT_MESSAGE_LENGTH - MAX_SENTENCES_LENGTH;
const MAX_FAILURE_LENGTH = 700;

/**
 * The text of one answer as the server can store it, whatever a model writes: its first MAX_ANSWER_TEXT_LENGTH code
 * points, without what the database does not take. Lengths and offsets are those of the text that the driver has written.
 */
export class AnswerText {
  /** As it was written: a surrogate pair may come in two pieces. */
  #kept = '';
  #points = 0;
  /** UTF-16 units that the driver has written, kept or not. */
  #written = 0;

  push(piece: string): void {
    if (!this.isCut) this.#keep(piece);
    this.#written += piece.length;
  }

  truncate(length: number): void {
    this.#written = Math.min(this.#written, length);
    if (length >= this.#kept.length) return;
    this.#kept = this.#kept.slice(0, length);
    this.#points = codePointLength(this.#kept);
  }

  get text(): string {
    return storableText(this.#kept);
  }

  /** Whether the driver has written more than is kept. */
  get isCut(): boolean {
    return this.#written > this.#kept.length;
  }

  /** The end of the whole characters in the first `most` UTF-16 units: the other half of the last may still come. */
  wholeEnd(most: number): number {
    const end = Math.min(this.#kept.length, most);
    return isFirstHalf(this.#kept.charCodeAt(end - 1)) ? end - 1 : end;
  }

  /** From and to whole characters. */
  slice(start: number, end: number): string {
    return storableText(this.#kept.slice(start, end));
  }

  #keep(piece: string): void {
    const joins =
      isFirstHalf(this.#kept.charCodeAt(this.#kept.length - 1)) && isSecondHalf(piece.charCodeAt(0));
    let end = joins ? 1 : 0;
    for (const point of piece.slice(end)) {
      if (this.#points === MAX_ANSWER_TEXT_LENGTH) break;
      this.#points += 1;
      end += point.length;
    }
    this.#kept += piece.slice(0, end);
  }
}

/** A message that is sent by itself, as the server can store it. */
export function fitMessage(text: string): string {
  const message = new AnswerText();
  message.push(text.trim());
  return message.text;
}

/** The sentence of a failure, which may repeat what a program or a server has said. */
export function storableSentence(sentence: string): string {
  const points = [...storableText(sentence)];
  return points.length <= MAX_FAILURE_LENGTH
    ? points.join('')
    : `${points.slice(0, MAX_FAILURE_LENGTH - 1).join('')}…`;
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
