interface Provider {
  /** Its processes are our own runner, which sends heartbeats by itself. */
  readonly isOwnRunner: boolean;
  /** People can choose it today. */
  readonly isUsable: boolean;
}

/** What kinds of AI agents there are. */
export const PROVIDERS = {
  builtin: { isOwnRunner: true, isUsable: true },
  claude: { isOwnRunner: true, isUsable: false },
  openai: { isOwnRunner: true, isUsable: false },
  command: { isOwnRunner: false, isUsable: true },
} as const satisfies Record<string, Provider>;

export type ProviderName = keyof typeof PROVIDERS;

export const PROVIDER_NAMES = [
  'builtin',
  'claude',
  'openai',
  'command',
] as const satisfies readonly ProviderName[];

export const OWN_RUNNER_PROVIDERS: readonly ProviderName[] = PROVIDER_NAMES.filter(
  (name) => PROVIDERS[name].isOwnRunner,
);

/** The providers that people are offered, followed by those that are planned. */
export const USABLE_PROVIDERS: readonly ProviderName[] = PROVIDER_NAMES.filter(
  (name) => PROVIDERS[name].isUsable,
);
export const COMING_PROVIDERS: readonly ProviderName[] = PROVIDER_NAMES.filter(
  (name) => !PROVIDERS[name].isUsable,
);
