import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { ModelChoice } from './ModelChoice.tsx';
import { offeredModelsQuery } from './offered-models-query.ts';

interface ModelListProps {
  readonly labelledBy: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly onChoose: (model: string) => void;
}

/** What the address offers. It is asked when a person wishes it, and at first when it is known already. */
export function ModelList({ labelledBy, baseUrl, model, onChoose }: ModelListProps) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState(baseUrl);
  const isAsked = baseUrl !== '' && asked === baseUrl;
  const { data, error, isFetching, refetch } = useQuery({ ...offeredModelsQuery(baseUrl), enabled: isAsked });
  const ask = () => {
    setAsked(baseUrl);
    if (isAsked) void refetch();
  };
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button
          size="sm"
          icon="search"
          isBusy={isFetching}
          disabled={!URL.canParse(baseUrl)}
          data-testid="agent-models-ask"
          onClick={ask}
        >
          {t('settings.models.ask')}
        </Button>
        <span role="status" className="num text-12 text-ink-3">
          {isAsked && data && !data.problem && t('settings.models.count', { count: data.models.length })}
        </span>
      </div>
      {isAsked && error && <ErrorNote error={error} />}
      {isAsked && data?.problem && (
        <p data-testid="agent-models-problem" className="text-12 text-pretty text-amber-ink">
          {t(`settings.models.problem.${data.problem}`)}
        </p>
      )}
      {isAsked && data && data.models.length > 0 && (
        <ModelChoice
          labelledBy={labelledBy}
          models={data.models.map((id) => ({ id }))}
          model={model}
          onChoose={onChoose}
        />
      )}
    </div>
  );
}
