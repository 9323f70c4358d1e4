import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CodeToCopy } from '../CodeToCopy.tsx';
import type { AgentFieldsProps } from './AgentFields.tsx';
import { AGENT_PRESETS, type AgentPreset, filledIn, presetOf } from './agent-presets.ts';
import { hostProgramsQuery } from './programs/host-programs-query.ts';
import { ProgramLine } from './programs/ProgramLine.tsx';
import { ProgramRemedy } from './programs/ProgramRemedy.tsx';
import { type ProgramStatus, statusOf } from './programs/program-status.ts';

/** Known programs, filled in with one click; of the chosen one, whether it is there, and what is particular to it. */
export function AcpPresets({ draft, onChange }: AgentFieldsProps) {
  const { t } = useTranslation();
  const { data } = useQuery(hostProgramsQuery());
  const chosen = presetOf(draft);
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-12 font-medium text-ink-2">{t('settings.presets')}</legend>
      <div className="grid gap-2 sm:grid-cols-3">
        {AGENT_PRESETS.map((preset) => (
          <button
            key={preset.id}
            type="button"
            aria-pressed={preset === chosen}
            data-testid={`agent-preset-${preset.id}`}
            onClick={() => onChange(filledIn(preset, draft))}
            className="flex min-h-11 min-w-0 flex-col justify-center rounded-md border border-line-strong bg-surface px-2.5 py-1 text-left aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:outline-1 aria-pressed:-outline-offset-2 aria-pressed:outline-accent not-aria-pressed:hover:bg-hover focus-visible:outline-2 focus-visible:outline-offset-1"
          >
            <span className="text-13 font-medium">{preset.name}</span>
            <ProgramLine status={statusOf(data, preset.program)} otherwise={preset.file} />
          </button>
        ))}
      </div>
      {chosen && <Chosen preset={chosen} status={statusOf(data, chosen.program)} />}
    </fieldset>
  );
}

interface ChosenProps {
  readonly preset: AgentPreset;
  readonly status: ProgramStatus | undefined;
}

function Chosen({ preset, status }: ChosenProps) {
  const { t } = useTranslation();
  const install = `${preset.install}\n${preset.signIn}`;
  const isSeen = status?.kind === 'known' && status.fitness !== 'not_found';
  return (
    <>
      {isSeen ? (
        <ProgramRemedy status={status} file={preset.file} install={install} />
      ) : (
        <>
          <p className="text-12 text-ink-2">{t('settings.presetInstall')}</p>
          <CodeToCopy code={install} label={t('settings.presetInstallLabel')} testId="agent-preset-install" />
        </>
      )}
      <p className="text-12 text-ink-3">{t(`settings.presetHint.${preset.id}`)}</p>
    </>
  );
}
