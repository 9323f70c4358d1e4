interface Provider {
  /** Its model can be named, the agent's `model`. */
  readonly takesModel: boolean;
  /** Its model is behind an address, the agent's `baseUrl` and `apiKeyEnv`. */
  readonly takesAddress: boolean;
  /** Its processes are our own runner, which sends heartbeats by itself. */
  readonly isOwnRunner: boolean;
  /** It reads and writes the files of the project. */
  readonly worksInFolder: boolean;
  /** It needs a program, the agent's `command`. */
  readonly takesCommand: boolean;
}

/** What kinds of AI agents there are. */
export const PROVIDERS = {
  builtin: {
    isOwnRunner: true,
    worksInFolder: false,
    takesCommand: false,
    takesModel: false,
    takesAddress: false,
  },
  claude: {
    isOwnRunner: true,
    worksInFolder: true,
    takesCommand: false,
    takesModel: true,
    takesAddress: false,
  },
  acp: {
    isOwnRunner: true,
    worksInFolder: true,
    takesCommand: true,
    takesModel: true,
    takesAddress: false,
  },
  openai: {
    isOwnRunner: true,
    worksInFolder: false,
    takesCommand: false,
    takesModel: true,
    takesAddress: true,
  },
  command: {
    isOwnRunner: false,
    worksInFolder: true,
    takesCommand: true,
    takesModel: false,
    takesAddress: false,
  },
} as const satisfies Record<string, Provider>;

export type ProviderName = keyof typeof PROVIDERS;

export const PROVIDER_NAMES = [
  'builtin',
  'claude',
  'acp',
  'openai',
  'command',
] as const satisfies readonly ProviderName[];

export const OWN_RUNNER_PROVIDERS: readonly ProviderName[] = PROVIDER_NAMES.filter(
  (name) => PROVIDERS[name].isOwnRunner,
);

/** False for a name that is no provider. */
export function worksInFolder(name: string | null): boolean {
  const provider = PROVIDER_NAMES.find((one) => one === name);
  return provider !== undefined && PROVIDERS[provider].worksInFolder;
}

/** Why an agent of this provider cannot have, or cannot lack, a command; undefined when all is well. */
export function commandFault(provider: ProviderName, hasCommand: boolean): string | undefined {
  if (PROVIDERS[provider].takesCommand === hasCommand) return undefined;
  return hasCommand ? 'only for the providers acp and command' : `needed for provider ${provider}`;
}
