import { MissingFolder } from '../process/missing-folder.ts';
import type { ClaudeResult } from './claude-message.ts';
import type { ClaudeTexts } from './texts-shape.ts';

type Failures = ClaudeTexts['failures'];

export interface TurnFault {
  readonly result: ClaudeResult;
  /** What the program reported in place of an answer. */
  readonly error: { readonly kind: string; readonly text: string } | undefined;
  readonly model: string;
}

const MAX_WHY_LENGTH = 300;
const OVERLOADED = 529;

/** For the person: why a turn has no answer, and what to do. */
export function failureSentence({ result, error, model }: TurnFault, failures: Failures): string {
  const status = result.api_error_status ?? null;
  const why = shortened(error?.text || result.result || result.errors.join(' ') || result.subtype);
  if (result.terminal_reason === 'prompt_too_long') return failures.tooLong;
  switch (error?.kind) {
    case 'authentication_failed':
      return status === null ? failures.notSignedIn : failures.keyRefused;
    case 'billing_error':
      return failures.credit;
    case 'model_not_found':
      return failures.modelNotFound(model);
    case 'rate_limit':
      return failures.rateLimit(why);
    case 'overloaded':
      return failures.overloaded;
    case 'server_error':
      if (status === OVERLOADED) return failures.overloaded;
      return status === null ? failures.network : failures.server(status);
    case 'invalid_request':
    case 'unknown':
      return failures.refused(why);
    default:
      return failures.other(why);
  }
}

/** Why the program could not be started, and what to do. */
export function startSentence(
  error: unknown,
  executable: string,
  limitMs: number,
  failures: Failures,
): string {
  const said = error instanceof Error ? error.message : String(error);
  if (error instanceof MissingFolder) return failures.noFolder(error.folder);
  if (/ENOENT|binary not found at/.test(said)) return failures.missing(executable);
  if (/EACCES|EPERM/.test(said)) return failures.notExecutable(executable);
  if (/timed? ?out|initialization did not complete/i.test(said))
    return failures.silent(executable, Math.round(limitMs / 1_000));
  // What it printed was no message, and then it ended.
  if (/closed before response/.test(said)) return failures.unusable(executable, failures.noAnswer);
  return failures.unusable(executable, shortened(said));
}

function shortened(text: string): string {
  const line = text
    .replace(/^API Error:\s*/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/[.。]$/, '');
  return line.length <= MAX_WHY_LENGTH ? line : `${line.slice(0, MAX_WHY_LENGTH)}…`;
}
