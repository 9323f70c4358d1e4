import { useTranslation } from 'react-i18next';
import { IconButton } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { isCode } from '../../../lib/api/api-error.ts';
import { joined } from '../../../lib/joined.ts';
import { UsedMemoryRow } from './UsedMemoryRow.tsx';
import { type MemoryUsedByAnswer, useMemoryUsed } from './use-memory-used.ts';
import { millisecondsOf, usedId } from './used.ts';

export interface MemoryUsedProps {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly runId: string;
  readonly onClose: () => void;
}

/** What memory gave the agent for this answer. */
export function MemoryUsed({ id, onClose, ...ids }: MemoryUsedProps) {
  const { t } = useTranslation();
  const memory = useMemoryUsed(ids);
  const { run, used } = memory;
  return (
    <section
      id={id}
      aria-label={t('memoryUsed.title')}
      data-testid="memory-used"
      className="mt-1 divide-y divide-line rounded-md border border-line-strong bg-surface"
    >
      <header className="flex items-center gap-2 py-1.5 pr-1.5 pl-3">
        <h3 className="min-w-0 text-13 font-semibold">{t('memoryUsed.title')}</h3>
        <span className="num min-w-0 flex-1 truncate text-12 text-ink-3">
          {run &&
            used.length > 0 &&
            joined([t('search.found', { count: used.length }), t('search.ms', { ms: millisecondsOf(run) })])}
        </span>
        <IconButton icon="close" label={t('common.close')} onClick={onClose} />
      </header>
      <Body {...memory} projectId={ids.projectId} agentId={ids.agentId} />
    </section>
  );
}

function Body({
  run,
  used,
  isLoading,
  error,
  retry,
  projectId,
  agentId,
}: MemoryUsedByAnswer & Pick<MemoryUsedProps, 'projectId' | 'agentId'>) {
  const { t } = useTranslation();
  if (isCode(error, 'retrieval_run_not_found')) return <Sentence text={t('memoryUsed.gone')} />;
  if (error)
    return <ErrorNote error={error} title={t('memoryUsed.failed')} onRetry={retry} className="m-2" />;
  if (isLoading || !run)
    return (
      <div className="px-3 py-2">
        <PhaseLine>{t('memoryUsed.loading')}</PhaseLine>
      </div>
    );
  if (used.length === 0) return <Sentence text={t('memoryUsed.nothing')} />;
  return used.map((one) => (
    <UsedMemoryRow key={usedId(one.item)} used={one} run={run} projectId={projectId} agentId={agentId} />
  ));
}

function Sentence({ text }: { readonly text: string }) {
  return <p className="px-3 py-2 text-13 text-ink-2">{text}</p>;
}
