interface Provider {
  /** Its processes are our own runner, which shows a sign of life by itself. */
  readonly isOwnRunner: boolean;
  /** A person may choose it today. */
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

/** What people are offered, and behind it what is still to come. */
export const USABLE_PROVIDERS: readonly ProviderName[] = PROVIDER_NAMES.filter(
  (name) => PROVIDERS[name].isUsable,
);
export const COMING_PROVIDERS: readonly ProviderName[] = PROVIDER_NAMES.filter(
  (name) => !PROVIDERS[name].isUsable,
);
