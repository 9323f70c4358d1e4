import type { ProviderName } from '@aizuchi/shared/core/agents/rules/providers';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ProviderGlyph } from '../../settings/agents/ProviderGlyph.tsx';
import { ProviderTiles } from '../../settings/agents/ProviderTiles.tsx';
import { ClaudeRemedy } from '../../settings/agents/programs/ClaudeRemedy.tsx';
import { hostProgramsQuery } from '../../settings/agents/programs/host-programs-query.ts';
import { LookedAt } from '../../settings/agents/programs/LookedAt.tsx';
import { ProgramLine } from '../../settings/agents/programs/ProgramLine.tsx';
import { statusOf } from '../../settings/agents/programs/program-status.ts';

interface ProviderChoiceProps {
  readonly provider: ProviderName;
  readonly onChange: (provider: ProviderName) => void;
}

/** The provider in one line, and what its program lacks; the others when a person wants to change it. */
export function ProviderChoice({ provider, onChange }: ProviderChoiceProps) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  if (isOpen) return <ProviderTiles provider={provider} onChange={onChange} autoFocus />;
  return (
    <>
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
      {provider === 'claude' && <ClaudeOnHosts />}
    </>
  );
}

/** Only when something is to be done, with a button to look again when it is done. */
function ClaudeOnHosts() {
  const { t } = useTranslation();
  const { data } = useQuery(hostProgramsQuery());
  const status = statusOf(data, 'claude');
  if (status?.kind !== 'known' || status.fitness === 'ready') return null;
  return (
    <div className="flex flex-col gap-2" data-testid="agent-claude-remedy">
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <ProgramLine status={status} otherwise={t('settings.providerShort.claude')} />
        <LookedAt />
      </div>
      <ClaudeRemedy />
    </div>
  );
}
