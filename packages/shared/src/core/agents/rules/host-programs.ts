/**
 * The programs for agents that a Coordinator looks for on its host. `claude`: Claude Code itself; the others speak the
 * Agent Client Protocol.
 */
export const HOST_PROGRAMS = ['claude', 'gemini', 'codex', 'claude_acp'] as const;
export type HostProgramId = (typeof HOST_PROGRAMS)[number];

/**
 * Executable, and what signs it in, of the programs that speak the Agent Client Protocol. What is known about them was
 * seen by running them (docs/providers.md).
 */
export const ACP_PROGRAMS = {
  gemini: { file: 'gemini', signIn: 'gemini' },
  codex: { file: 'codex-acp', signIn: 'codex-acp login' },
  claude_acp: { file: 'claude-agent-acp', signIn: 'claude-agent-acp --cli auth login' },
} as const satisfies Record<Exclude<HostProgramId, 'claude'>, { file: string; signIn: string }>;

/**
 * `not_allowed`: COORDINATOR_ALLOWED_COMMANDS does not name it. `not_executable`: the account of agents cannot run it.
 */
export const PROGRAM_STATES = ['found', 'not_found', 'too_old', 'not_executable', 'not_allowed'] as const;
export type ProgramState = (typeof PROGRAM_STATES)[number];

export interface SeenProgram {
  readonly state: ProgramState;
  /** Undefined: it cannot be seen without using it. */
  readonly isSignedIn?: boolean | undefined;
}

export type ProgramFitness = 'ready' | 'probably' | 'sign_in_missing' | Exclude<ProgramState, 'found'>;

/** What a person has to know before an agent is started with it. `probably`: whether it is signed in is not known. */
export function fitnessOf({ state, isSignedIn }: SeenProgram): ProgramFitness {
  if (state !== 'found') return state;
  if (isSignedIn === undefined) return 'probably';
  return isSignedIn ? 'ready' : 'sign_in_missing';
}

const BEST_FIRST: readonly ProgramFitness[] = [
  'ready',
  'probably',
  'sign_in_missing',
  'too_old',
  'not_executable',
  'not_allowed',
  'not_found',
];

/** Of several hosts the one that is nearest to running it. The first of equals. */
export function bestHost<T extends { readonly program: SeenProgram }>(hosts: readonly T[]): T | undefined {
  const rank = ({ program }: T) => BEST_FIRST.indexOf(fitnessOf(program));
  return hosts.reduce<T | undefined>(
    (best, host) => (best === undefined || rank(host) < rank(best) ? host : best),
    undefined,
  );
}
