import type { RequestError } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import type { TurnEnd } from '../../turn-events.ts';
import type { AcpTexts } from './texts/texts-shape.ts';

type Failures = AcpTexts['failures'];

/** Why there is no session or no answer. `message` is for the log, `sentence` for the person. */
export class AcpFailure extends Error {
  override readonly name = 'AcpFailure';
  readonly sentence: (texts: Failures) => string;

  constructor(message: string, sentence: (texts: Failures) => string) {
    super(message);
    this.sentence = sentence;
  }
}

export function failedEnd(error: unknown, { failures }: AcpTexts): Extract<TurnEnd, { reason: 'failed' }> {
  const failed = { type: 'end', reason: 'failed', error: String(error) } as const;
  return error instanceof AcpFailure ? { ...failed, sentence: error.sentence(failures) } : failed;
}

const AUTH_REQUIRED = -32_000;
const MAX_SAID_LENGTH = 300;
const detailsSchema = z.object({ details: z.string().optional(), message: z.string().optional() });
/** Gemini CLI passes on what its model's address answered: the status as the code, the body as the message. */
const bodySchema = z.object({ error: z.object({ message: z.string() }) });
/** A key that is wrong is a 400 there. */
const REFUSED_KEY = /\bAPI key (?:not valid|expired)|UNAUTHENTICATED/i;

/** An error that the agent answered a request with. `program`: its name; `signIn`: how a person signs in to it. */
export function answeredError(
  error: RequestError,
  program: { readonly title: string; readonly signIn: string; readonly keyVariable?: string },
  hide: (text: string) => string,
): AcpFailure {
  const { title, signIn, keyVariable } = program;
  const said = shortened(hide(detailOf(error)));
  const message = `the agent answered with error ${error.code}: ${said}`;
  if (error.code === AUTH_REQUIRED)
    return new AcpFailure(message, (texts) => texts.signIn(title, signIn, keyVariable));
  if (error.code === 401 || REFUSED_KEY.test(error.message))
    return new AcpFailure(message, (texts) => texts.signInRefused(title, said, signIn, keyVariable));
  return new AcpFailure(message, (texts) => texts.reported(title, said));
}

/** Some agents say "Internal error", and what happened in the data. */
function detailOf({ message, data }: RequestError): string {
  const { data: found } = detailsSchema.safeParse(data);
  const detail = found?.details ?? found?.message ?? (typeof data === 'string' ? data : undefined);
  return detail && !message.includes(detail) ? `${message}: ${detail}` : sentenceIn(message);
}

function sentenceIn(message: string): string {
  try {
    return bodySchema.parse(JSON.parse(message)).error.message;
  } catch {
    return message;
  }
}

/** One line, without the full stop at its end. */
export function shortened(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/[.。]$/, '');
  return line.length <= MAX_SAID_LENGTH ? line : `${line.slice(0, MAX_SAID_LENGTH)}…`;
}
