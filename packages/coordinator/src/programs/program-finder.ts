import { ACP_PROGRAMS, type HostProgram } from '@aizuchi/shared/contract/programs';
import { OLDEST_CLAUDE } from '../launch/claude/claude-release.ts';
import { claudeSignIn, signInCommand } from '../launch/claude/claude-sign-in.ts';
import { findExecutable, isAllowed } from '../launch/executables.ts';
import type { PlanOptions } from '../launch/launch-plan.ts';
import { isPassedOn } from '../launch/run-environment.ts';
import { packageVersion } from './package-version.ts';
import { SIGNS, signInBySigns } from './sign-in-signs.ts';

type FinderOptions = Pick<PlanOptions, 'config' | 'accounts' | 'claude' | 'env'>;
type AcpId = keyof typeof ACP_PROGRAMS;

/** Looks which programs for agents a run on this host would find, as the account of agents. Uses none of them. */
export class ProgramFinder {
  readonly #options: FinderOptions;

  constructor(options: FinderOptions) {
    this.#options = options;
  }

  look(): Promise<HostProgram[]> {
    return Promise.all([this.#claude(), this.#acp('gemini'), this.#acp('codex'), this.#acp('claude_acp')]);
  }

  async #claude(): Promise<HostProgram> {
    const { claude, env, accounts } = this.#options;
    const id = 'claude';
    const { found, passedOver } = await claude.find(env.PATH ?? '');
    if (!found && !passedOver) return { id, state: 'not_found' };
    if (!found)
      return passedOver?.version === undefined
        ? { id, state: 'not_executable' }
        : { id, state: 'too_old', version: passedOver.version, needs: OLDEST_CLAUDE };
    const { file, version } = found;
    const signedIn = await claudeSignIn({ file, account: accounts.agents, env });
    return {
      id,
      state: 'found',
      version,
      ...(signedIn && { isSignedIn: signedIn.loggedIn }),
      signIn: signInCommand(`${file} auth login`, accounts.agents),
    };
  }

  async #acp(id: AcpId): Promise<HostProgram> {
    const { config, env, accounts } = this.#options;
    const { file, signIn } = ACP_PROGRAMS[id];
    const found = await findExecutable(file, '/', env.PATH ?? '');
    if (!found) return { id, state: 'not_found' };
    const version = await packageVersion(found);
    const known = { id, ...(version !== undefined && { version }) };
    if (!isAllowed(file, config.allowedCommands)) return { ...known, state: 'not_allowed' };
    const isSignedIn = await signInBySigns(SIGNS[id], {
      home: accounts.agents?.home ?? env.HOME ?? '',
      hasVariable: (name) => isPassedOn(name, env, config.agentEnvNames),
    });
    return {
      ...known,
      state: 'found',
      ...(isSignedIn !== undefined && { isSignedIn }),
      signIn: signInCommand(signIn, accounts.agents),
    };
  }
}
