/** Makes a text that comes in pieces storable: without U+0000 and without halves of characters. */
export class StorableStream {
  #high = '';

  push(piece: string): string {
    const text = (this.#high + piece).replaceAll('\u0000', '');
    const last = text.charCodeAt(text.length - 1);
    const isHigh = last >= 0xd800 && last <= 0xdbff;
    this.#high = isHigh ? text.slice(-1) : '';
    return (isHigh ? text.slice(0, -1) : text).toWellFormed();
  }
}
