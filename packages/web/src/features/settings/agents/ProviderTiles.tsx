import type { ProviderName } from '@aizuchi/shared/core/agents/rules/providers';
import { PROVIDER_NAMES } from '@aizuchi/shared/core/agents/rules/providers';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { AGENT_PRESETS } from './agent-presets.ts';
import { ProviderGlyph } from './ProviderGlyph.tsx';
import { ClaudeRemedy } from './programs/ClaudeRemedy.tsx';
import { hostProgramsQuery } from './programs/host-programs-query.ts';
import { LookedAt } from './programs/LookedAt.tsx';
import { ProgramLine } from './programs/ProgramLine.tsx';
import { statusOf } from './programs/program-status.ts';

interface ProviderTilesProps {
  readonly provider: ProviderName;
  readonly onChange: (provider: ProviderName) => void;
  /** The chosen one gets the focus. */
  readonly autoFocus?: boolean;
}

/** How an agent runs: one tile for each provider, with what is known of its program on the hosts. */
export function ProviderTiles({ provider, onChange, autoFocus = false }: ProviderTilesProps) {
  const { t } = useTranslation();
  const name = useId();
  return (
    <fieldset className="flex min-w-0 flex-col" data-testid="agent-provider">
      <legend className="sr-only">{t('settings.provider')}</legend>
      <div className="mb-1 flex min-h-6 items-center justify-between gap-3">
        <span aria-hidden="true" className="flex-none text-12 font-medium text-ink-2">
          {t('settings.provider')}
        </span>
        <LookedAt />
      </div>
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
        {PROVIDER_NAMES.map((one) => (
          <label
            key={one}
            className="relative grid min-h-14 grid-cols-[28px_minmax(0,1fr)] items-center gap-2.5 rounded-md border border-line-strong bg-surface px-2.5 py-1.5 max-sm:gap-2 max-sm:px-1.5 has-checked:border-accent has-checked:bg-accent-soft has-checked:outline-1 has-checked:-outline-offset-2 has-checked:outline-accent cursor-pointer not-has-checked:hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              value={one}
              checked={one === provider}
              // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed.
              autoFocus={autoFocus && one === provider}
              onChange={() => onChange(one)}
              data-testid={`agent-provider-${one}`}
              className="absolute inset-0 size-full cursor-[inherit] opacity-0"
            />
            <ProviderGlyph provider={one} />
            <span className="flex min-w-0 flex-col">
              <span className="text-13 font-medium">{t(`projects.provider.${one}`)}</span>
              <ProviderLine provider={one} />
            </span>
          </label>
        ))}
      </div>
      <p className="mt-1 text-12 text-pretty text-ink-3">{t(`settings.providerHint.${provider}`)}</p>
      <div className="mt-2 empty:hidden">{provider === 'claude' && <ClaudeRemedy />}</div>
    </fieldset>
  );
}

/** The second line of a tile. Of provider acp, which is for any program: a known one that is there. */
function ProviderLine({ provider }: { readonly provider: ProviderName }) {
  const { t } = useTranslation();
  const { data } = useQuery(hostProgramsQuery());
  const otherwise = t(`settings.providerShort.${provider}`);
  if (provider === 'claude') return <ProgramLine status={statusOf(data, 'claude')} otherwise={otherwise} />;
  if (provider === 'acp') {
    const there = AGENT_PRESETS.map(({ name, program }) => ({ name, status: statusOf(data, program) })).find(
      ({ status }) =>
        status?.kind === 'known' && (status.fitness === 'ready' || status.fitness === 'probably'),
    );
    if (there) return <ProgramLine {...there} otherwise={otherwise} />;
  }
  return <span className="text-12 text-ink-2">{otherwise}</span>;
}
