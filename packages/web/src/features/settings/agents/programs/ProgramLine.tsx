import type { ProgramFitness } from '@aizuchi/shared/core/agents/rules/host-programs';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../../components/Icon.tsx';
import type { IconName } from '../../../../components/icon-paths.ts';
import { joined } from '../../../../lib/joined.ts';
import type { ProgramStatus } from './program-status.ts';

const LOOKS: Readonly<Record<ProgramFitness, { readonly icon: IconName; readonly tone: string }>> = {
  ready: { icon: 'check', tone: 'text-green-ink' },
  probably: { icon: 'check', tone: 'text-ink-2' },
  sign_in_missing: { icon: 'key', tone: 'text-amber-ink' },
  too_old: { icon: 'warning', tone: 'text-amber-ink' },
  not_executable: { icon: 'close', tone: 'text-ink-2' },
  not_allowed: { icon: 'blocked', tone: 'text-ink-2' },
  not_found: { icon: 'close', tone: 'text-ink-2' },
};

interface ProgramLineProps {
  readonly status: ProgramStatus | undefined;
  /** What is said as long as nothing is known of a host. */
  readonly otherwise: string;
  /** The name of the program, where the tile is for several. */
  readonly name?: string;
}

/** In a tile: whether the program is there, and where. */
export function ProgramLine({ status, otherwise, name }: ProgramLineProps) {
  const { t } = useTranslation();
  if (status?.kind !== 'known')
    return (
      <span data-program={status?.kind} className="text-12 text-ink-2">
        {status?.kind === 'looking' || status?.kind === 'unknown'
          ? t(`settings.programs.${status.kind}`)
          : otherwise}
      </span>
    );
  const { fitness, host, program } = status;
  const { icon, tone } = LOOKS[fitness];
  const isThere = fitness === 'ready' || fitness === 'probably';
  const what = isThere
    ? (name ?? program.version ?? t('settings.programs.short.there'))
    : t(`settings.programs.short.${fitness}`);
  const line = joined([what, fitness !== 'not_found' && host]);
  return (
    <span data-program={fitness} className={`flex min-w-0 gap-1 text-12 ${tone}`}>
      <Icon name={icon} size={12} className="mt-0.75" />
      <span className="num min-w-0 wrap-anywhere">{line}</span>
    </span>
  );
}
