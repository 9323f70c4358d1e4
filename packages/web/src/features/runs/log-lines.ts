import Anser from 'anser';

/** A part of a line in one style. */
export interface LogSegment {
  readonly text: string;
  /** The page's classes for the colours and decorations of the ANSI sequences. */
  readonly className: string;
}

export interface LogLine {
  readonly text: string;
  readonly segments: readonly LogSegment[];
}

/** The loaded text of a log; `rest` is the line that is still being written. */
export interface LogText {
  readonly lines: readonly LogLine[];
  readonly rest: string;
  /** The style with which the next line begins: a colour continues until it is reset. */
  readonly style: string;
}

export const EMPTY_LOG: LogText = { lines: [], rest: '', style: '' };

const ESCAPE = '\\u001b';
/** Titles, links and other sequences that are neither colours nor cursor movements. */
const OTHER_SEQUENCES = new RegExp(
  `${ESCAPE}(?:\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)|[()][0-9A-B]|[=>78cDEHMNOZ])`,
  'g',
);
const ANY_SEQUENCE = new RegExp(`${ESCAPE}\\[[0-?]*[ -/]*[@-~]?`, 'g');
const CONTROLS = /(?!\t)\p{Cc}/gu;

const COLOURS: Readonly<Record<string, string>> = {
  red: 'text-ansi-red',
  green: 'text-ansi-green',
  yellow: 'text-ansi-yellow',
  blue: 'text-ansi-blue',
  magenta: 'text-ansi-magenta',
  cyan: 'text-ansi-cyan',
};
const DECORATIONS: Readonly<Record<string, string>> = {
  bold: 'font-semibold',
  dim: 'text-ansi-dim',
  italic: 'italic',
  underline: 'underline',
  strikethrough: 'line-through',
};

/** Appends text: complete lines are parsed, the last one waits for its end. */
export function appendToLog({ lines, rest, style }: LogText, text: string): LogText {
  const all = rest + text;
  const end = all.lastIndexOf('\n') + 1;
  if (end === 0) return { lines, rest: all, style };
  const { fresh, style: next } = parseLines(all.slice(0, end), style);
  return { lines: [...lines, ...fresh], rest: all.slice(end), style: next };
}

/** All lines, the unfinished one without its colours. */
export function shownLines({ lines, rest }: LogText): readonly LogLine[] {
  const text = plainText(rest);
  return text === '' ? lines : [...lines, { text, segments: [{ text, className: '' }] }];
}

/** Without colours and other sequences, e.g. for a stderr tail. */
export function plainText(text: string): string {
  const bare = text.replace(OTHER_SEQUENCES, '').replace(ANY_SEQUENCE, '');
  return printable(withoutReturns([bare]).join(''));
}

function parseLines(text: string, before: string): { fresh: LogLine[]; style: string } {
  const fresh: LogLine[] = [];
  let segments: LogSegment[] = [];
  let style = before;
  const chunks = new Anser().ansiToJson(text.replace(OTHER_SEQUENCES, ''), { use_classes: true });
  for (const [index, chunk] of chunks.entries()) {
    // Text before the first sequence has the style of the line before it.
    if (index > 0 || chunk.was_processed) style = classOf(chunk);
    for (const [part, piece] of chunk.content.split('\n').entries()) {
      if (part > 0) {
        fresh.push(lineOf(segments));
        segments = [];
      }
      if (piece !== '') segments.push({ text: piece, className: style });
    }
  }
  return { fresh, style };
}

function classOf({ fg, decorations }: Anser.AnserJsonEntry): string {
  const colour = COLOURS[(fg ?? '').replace(/^ansi-(bright-)?/, '')];
  const isGrey = fg === 'ansi-bright-black';
  return [colour ?? (isGrey && 'text-ansi-dim'), ...decorations.map((name) => DECORATIONS[name])]
    .filter(Boolean)
    .join(' ');
}

/** A progress line is overwritten after each `\r`: only its last state is shown. */
function lineOf(all: readonly LogSegment[]): LogLine {
  const texts = withoutReturns(all.map(({ text }) => text));
  const segments = all.flatMap(({ className }, index) => {
    const text = printable(texts[index] ?? '');
    return text === '' ? [] : [{ text, className }];
  });
  return { text: segments.map(({ text }) => text).join(''), segments };
}

/** The same pieces without the text before the last `\r` inside of the line. */
function withoutReturns(pieces: readonly string[]): readonly string[] {
  const whole = pieces.join('').replace(/\r+$/, '');
  const shownFrom = whole.lastIndexOf('\r') + 1;
  let start = 0;
  return pieces.map((piece) => {
    const shown = whole.slice(Math.max(start, shownFrom), start + piece.length);
    start += piece.length;
    return shown;
  });
}

function printable(text: string): string {
  return text.replace(CONTROLS, '').replaceAll('\t', '    ');
}
