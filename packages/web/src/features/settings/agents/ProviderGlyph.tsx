import type { ProviderName } from '@aizuchi/shared/core/agents/rules/providers';
import { Icon } from '../../../components/Icon.tsx';
import type { IconName } from '../../../components/icon-paths.ts';

const ICONS: Readonly<Record<ProviderName, IconName | { readonly letters: string }>> = {
  builtin: 'box',
  claude: { letters: 'cc' },
  acp: 'talk',
  openai: 'globe',
  command: 'terminal',
};

/** The sign of a provider, beside its name. */
export function ProviderGlyph({ provider }: { readonly provider: ProviderName }) {
  const sign = ICONS[provider];
  return (
    <span
      aria-hidden="true"
      className="grid size-7 flex-none place-items-center rounded-sm border border-line bg-canvas font-mono text-11 font-semibold text-ink-2"
    >
      {typeof sign === 'string' ? <Icon name={sign} size={14} /> : sign.letters}
    </span>
  );
}
