import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ACP_PROGRAMS } from '@aizuchi/shared/contract/programs';

/** By what can be seen, without using the program, whether it is signed in. Paths are in the home of its account. */
export interface Signs {
  /** It writes it when a person signs in. */
  readonly file: string;
  /** It makes it when it is used for the first time. */
  readonly folder: string;
  /** Keys that it takes in place of a sign-in. */
  readonly variables: readonly string[];
  /** Files in which a person may have written a key. */
  readonly keyFiles: readonly string[];
}

export const SIGNS: Readonly<Record<keyof typeof ACP_PROGRAMS, Signs>> = {
  gemini: {
    file: '.gemini/oauth_creds.json',
    folder: '.gemini',
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    keyFiles: ['.env'],
  },
  codex: {
    file: '.codex/auth.json',
    folder: '.codex',
    variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    keyFiles: [],
  },
  claude_acp: {
    file: '.claude/.credentials.json',
    folder: '.claude',
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    keyFiles: [],
  },
};

interface Place {
  readonly home: string;
  /** Whether runs are given a variable. */
  readonly hasVariable: (name: string) => boolean;
}

/**
 * True only for a certain sign, false only for a program that was never used and has no key: others keep their sign-in in
 * a keychain, or in settings of their own, and of those nothing is known.
 */
export async function signInBySigns(
  signs: Signs,
  { home, hasVariable }: Place,
): Promise<boolean | undefined> {
  if (signs.variables.some(hasVariable)) return true;
  if (home === '') return undefined;
  const exists = (path: string) =>
    stat(join(home, path)).then(
      () => true,
      (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? false : undefined),
    );
  if (await exists(signs.file)) return true;
  const others = await Promise.all([signs.folder, ...signs.keyFiles].map(exists));
  return others.every((one) => one === false) ? false : undefined;
}
