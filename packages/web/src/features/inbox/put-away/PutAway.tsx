import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { RowKeys } from '../RowKeys.tsx';
import { itemKey } from '../use-inbox.ts';
import { PutAwayItemRow } from './PutAwayItemRow.tsx';
import { usePutAway } from './use-put-away.ts';

export interface PutAwayProps {
  readonly projectName: (id: string) => string;
  readonly agentName: (id: string | undefined) => string | undefined;
}

/** What the person has put away or wants to see later, last put away first; each row can be brought back. */
export function PutAway({ projectName, agentName }: PutAwayProps) {
  const { t } = useTranslation();
  const { list, rows, ref, restore } = usePutAway();
  return (
    <>
      <div className="flex min-h-8 flex-wrap items-baseline gap-x-2 max-sm:px-4 max-sm:pt-3">
        <h1 className="text-16 font-semibold">{t('inbox.putAway')}</h1>
        <p className="text-12 text-ink-2">{t('putAway.order')}</p>
      </div>
      {list.error && (
        <ErrorNote error={list.error} onRetry={() => void list.refetch()} className="max-sm:m-4" />
      )}
      {list.isPending && !list.error && <PhaseLine>{t('common.loading')}</PhaseLine>}
      {list.isSuccess && rows.length === 0 && !list.hasNextPage && (
        <div className="max-sm:p-4">
          <EmptyState icon="archive" title={t('putAway.emptyTitle')}>
            {t('putAway.emptyText')}
          </EmptyState>
        </div>
      )}
      {rows.length > 0 && (
        <div
          ref={ref}
          className="divide-y divide-line border-line bg-surface max-sm:border-y sm:rounded-md sm:border"
        >
          {rows.map((row) => (
            <PutAwayItemRow
              key={itemKey(row.item)}
              row={row}
              projectName={projectName(row.item.projectId)}
              agentName={agentName(row.item.agentId)}
              onRestore={() => restore(row)}
            />
          ))}
        </div>
      )}
      {list.hasNextPage && (
        <Button
          variant="quiet"
          icon="arrowDown"
          isBusy={list.isFetchingNextPage}
          className="self-start max-sm:mx-4"
          onClick={() => void list.fetchNextPage()}
        >
          {t('putAway.older')}
        </Button>
      )}
      {rows.length > 0 && <RowKeys actKey="U">{t('putAway.key')}</RowKeys>}
    </>
  );
}
