import type { ChangedFile } from '@aizuchi/shared/contract/changes';
import type { Run } from '@aizuchi/shared/contract/run';
import type { TaskAttempt } from '@aizuchi/shared/contract/task';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../../components/ErrorNote.tsx';
import { Icon } from '../../../../components/Icon.tsx';
import { Revealed } from '../../../../components/Revealed.tsx';
import { useNameOf } from '../../../../lib/queries/use-name-of.ts';
import { ChangeCount } from '../../../changes/ChangeCount.tsx';
import { ChangesDecision } from '../../../changes/ChangesDecision.tsx';
import { ChangesLink } from '../../../changes/ChangesLink.tsx';
import { FileBody } from '../../../changes/FileCard.tsx';
import { changesQuery, useDecideChanges } from '../../../changes/use-changes.ts';
import { runQuery } from '../../../runs/use-runs.ts';

/** The newest attempts: older changes are on the page of the runs. */
const MAX_ATTEMPTS = 3;
const MAX_FILES = 12;

interface TaskChangesProps {
  readonly projectId: string;
  /** Newest first. */
  readonly attempts: readonly TaskAttempt[];
  readonly canWrite: boolean;
}

/** What the agent changed in its worktree, and the decision about it. */
export function TaskChanges({ projectId, attempts, canWrite }: TaskChangesProps) {
  const ids = attempts.slice(0, MAX_ATTEMPTS).flatMap(({ runId }) => runId ?? []);
  const runs = useQueries({ queries: ids.map((id) => runQuery(projectId, id)) });
  const changed = runs.flatMap(({ data }) => (data?.changes ? [data] : []));
  return changed.map((run) => <RunChanges key={run.id} run={run} canWrite={canWrite} />);
}

function RunChanges({ run, canWrite }: { readonly run: Run; readonly canWrite: boolean }) {
  const { t } = useTranslation();
  const name = useNameOf()(run.agentId);
  const { data: changes, error } = useQuery(changesQuery(run.projectId, run.id));
  const decide = useDecideChanges(run.projectId, run.id);
  if (!run.changes || (changes && changes.fileCount === 0)) return null;
  const files = changes?.files.slice(0, MAX_FILES) ?? [];
  const more = (changes?.fileCount ?? 0) - files.length;
  return (
    <section aria-label={t('changes.titleOf', { name })} className="rounded-md border border-line">
      <header className="flex min-h-9 flex-wrap items-center gap-2 border-b border-line px-3 py-1 text-12">
        <h3 className="font-semibold">{t('changes.title')}</h3>
        {changes && <ChangeCount {...changes} />}
        <span className="flex-1" />
        <ChangesLink run={run} changes={run.changes} />
        {changes && (
          <ChangesDecision
            changes={changes}
            name={name}
            canDecide={canWrite && run.state === 'exited'}
            decide={decide}
          />
        )}
      </header>
      {(error ?? decide.error) && <ErrorNote error={error ?? decide.error} className="m-2" />}
      <ul className="py-1">
        {files.map((file) => (
          <FileLine key={file.path} file={file} />
        ))}
      </ul>
      {more > 0 && <p className="px-3 pb-2 text-12 text-ink-2">{t('changes.notListed', { count: more })}</p>}
    </section>
  );
}

/** Its diff is loaded and shown when the line is opened. */
function FileLine({ file }: { readonly file: ChangedFile }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li>
      <details className="group" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary className="flex min-h-7 cursor-pointer list-none items-center gap-2 px-3 text-12 hover:bg-hover pointer-coarse:min-h-9 [&::-webkit-details-marker]:hidden">
          <Icon name="chevronRight" size={12} className="flex-none text-ink-3 group-open:rotate-90" />
          <span className="min-w-0 flex-1 font-mono wrap-anywhere">
            <Revealed text={file.path} />
          </span>
          <ChangeCount {...file} />
        </summary>
        {isOpen && (
          <div className="border-y border-line">
            <FileBody file={file} />
          </div>
        )}
      </details>
    </li>
  );
}
