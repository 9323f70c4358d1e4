const ESCAPE = String.fromCodePoint(27);
const ANSI = new RegExp(
  `${ESCAPE}(?:\\[[0-9;:?]*[ -/]*[@-~]|\\][^${ESCAPE}\\u0007]*(?:\\u0007|${ESCAPE}\\\\))`,
  'g',
);

/** The output of a program without colours and titles for terminals; a line that was overwritten has its last state. */
export function withoutAnsi(text: string): string {
  return text
    .replace(ANSI, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, '').split('\r').at(-1) ?? '')
    .join('\n');
}
