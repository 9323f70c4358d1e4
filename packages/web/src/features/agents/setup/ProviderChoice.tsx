import type { ProviderName } from '@aizuchi/shared/core/agents/rules/providers';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ProviderGlyph } from '../../settings/agents/ProviderGlyph.tsx';
import { ProviderTiles } from '../../settings/agents/ProviderTiles.tsx';

interface ProviderChoiceProps {
  readonly provider: ProviderName;
  readonly onChange: (provider: ProviderName) => void;
}

/** The provider in one line; the others when a person wants to change it. */
export function ProviderChoice({ provider, onChange }: ProviderChoiceProps) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  if (isOpen) return <ProviderTiles provider={provider} onChange={onChange} autoFocus />;
  return (
    <div className="flex items-center gap-3">
      <ProviderGlyph provider={provider} />
      <div className="min-w-0 flex-1">
        <p className="text-13 font-medium">{t(`projects.provider.${provider}`)}</p>
        <p className="text-12 text-pretty text-ink-2">{t(`settings.providerShort.${provider}`)}</p>
      </div>
      <Button size="sm" data-testid="agent-change-provider" onClick={() => setIsOpen(true)}>
        {t('agentPage.change')}
      </Button>
    </div>
  );
}
