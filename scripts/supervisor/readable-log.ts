import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';

const logLine = z.looseObject({
  level: z.string(),
  time: z.string(),
  service: z.string(),
  msg: z.string(),
  pid: z.unknown(),
  subsystem: z.string().optional(),
  err: z.looseObject({ message: z.string(), stack: z.string().optional() }).optional().catch(undefined),
});

/** A part of a log without an end of line is kept only up to this length. */
const LONGEST_LINE = 100_000;

/** What a terminal may take as a command. A stack keeps its lines. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;

/**
 * One line of the log as a person reads it on a terminal. What is not a line of the log stays as it is, without control
 * characters: an agent or a file may have written it.
 */
export function readableLine(line: string): string {
  const parsed = logLine.safeParse(asJson(line));
  if (!parsed.success) return visible(line);
  const { level, time, service, msg, pid: _, subsystem, err, ...rest } = parsed.data;
  const source = subsystem === undefined ? service : `${service}/${subsystem}`;
  const fields = Object.entries(rest).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const clock = time.slice(11, 19);
  const first = [clock, level.padEnd(5), `${source}:`, msg, ...fields].join(' ');
  const cause = err && (err.stack ?? err.message);
  return visible(cause === undefined ? first : `${first}\n${cause.replace(/^/gm, '    ')}`);
}

function visible(text: string): string {
  return text.replace(CONTROLS, (found) => `\\x${found.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** Joins the chunks of one source into lines and passes them on: readable on a terminal, otherwise as they came. */
export function terminalLog(terminal: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>): {
  write(chunk: Buffer | string): void;
  end(): void;
} {
  const decoder = new StringDecoder('utf8');
  let open = '';
  return {
    write: (chunk) => {
      if (!terminal.isTTY) {
        terminal.write(chunk);
        return;
      }
      const lines = (open + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split('\n');
      open = lines.pop() ?? '';
      for (const line of lines) terminal.write(`${readableLine(line)}\n`);
      if (open.length <= LONGEST_LINE) return;
      terminal.write(visible(open));
      open = '';
    },
    end: () => {
      if (open !== '') terminal.write(`${readableLine(open)}\n`);
      open = '';
    },
  };
}

function asJson(line: string): unknown {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
