import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Time } from '../../../components/Time.tsx';
import type { AgentDraft } from './agent-draft.ts';
import { knownModelsQuery } from './known-models-query.ts';
import { ModelChoice } from './ModelChoice.tsx';

/** What Claude Code takes on every host and account; which models they are it decides itself. */
const ALIASES = ['opus', 'sonnet', 'haiku'].map((id) => ({ id }));

interface KnownModelListProps {
  readonly labelledBy: string;
  readonly draft: AgentDraft;
  /** Of an agent that exists: what was offered to it is preferred. */
  readonly agentId: string | undefined;
  readonly onChoose: (model: string) => void;
}

/** What a program offered when an agent of its kind was last started. No model is asked for it. */
export function KnownModelList({ labelledBy, draft, agentId, onChoose }: KnownModelListProps) {
  const { t } = useTranslation();
  const { data } = useQuery(knownModelsQuery(draft, agentId));
  if (!data) return null;
  const aliases = draft.provider === 'claude' ? ALIASES : [];
  const isKnown = data.models.length > 0;
  const models = isKnown ? data.models : aliases;
  return (
    <div className="flex flex-col gap-1">
      <p data-testid="agent-models-known" className="num text-12 text-pretty text-ink-3">
        {data.seenAt === null || !isKnown ? (
          t('settings.models.notSeen')
        ) : (
          <>
            {t('settings.models.seen', { count: data.models.length })} · <Time at={data.seenAt} />
          </>
        )}
      </p>
      {models.length > 0 && (
        <ModelChoice
          labelledBy={labelledBy}
          models={models}
          model={draft.model}
          emptyLabel={t('settings.models.default')}
          onChoose={onChoose}
        />
      )}
    </div>
  );
}
