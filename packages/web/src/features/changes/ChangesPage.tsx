import type { Changes } from '@aizuchi/shared/contract/changes';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { isCode } from '../../lib/api/api-error.ts';
import { useNameOf } from '../../lib/queries/use-name-of.ts';
import { useWriteAccess } from '../../lib/queries/use-write-access.ts';
import { runQuery } from '../runs/use-runs.ts';
import { ChangesHead } from './ChangesHead.tsx';
import { ChangesNotes } from './ChangesNotes.tsx';
import { FileCard } from './FileCard.tsx';
import { FileList } from './FileList.tsx';
import { changesQuery, useDecideChanges } from './use-changes.ts';

const route = getRouteApi('/signed-in/projects/$projectId/runs/$runId/changes');

/** What a run changed in its worktree: the files, their diffs, and the decision about them. */
export function ChangesPage() {
  const { t } = useTranslation();
  const { projectId, runId } = route.useParams();
  const { data: run } = useQuery(runQuery(projectId, runId));
  const { data: changes, error, isFetching, refetch } = useQuery(changesQuery(projectId, runId));
  const { canWrite } = useWriteAccess(projectId);
  const decide = useDecideChanges(projectId, runId);
  const name = useNameOf()(run?.agentId ?? '');
  const isLive = run !== undefined && run.state !== 'exited';
  return (
    <div className="@container flex h-full min-h-0 flex-col">
      <ChangesHead name={name} run={run} changes={changes} canDecide={canWrite && !isLive} decide={decide} />
      <div className="min-h-0 flex-1 overflow-auto">
        {error && <LoadError error={error} onRetry={() => void refetch()} />}
        {!changes && isFetching && (
          <p className="flex items-center gap-2 p-4 text-13 text-ink-2">
            <Spinner /> {t('changes.title')}
          </p>
        )}
        {decide.error && !isCode(decide.error, 'changes_conflict') && (
          <LoadError error={decide.error} onRetry={undefined} />
        )}
        {changes && (
          <>
            <ChangesNotes changes={changes} name={name} isLive={isLive} runId={runId} />
            <Files changes={changes} />
          </>
        )}
      </div>
    </div>
  );
}

function Files({ changes }: { readonly changes: Changes }) {
  const { t } = useTranslation();
  const { files, fileCount, state } = changes;
  const notListed = fileCount - files.length;
  if (fileCount === 0 && changes.leftOut.length === 0)
    return state === 'created' && <p className="p-4 text-13 text-ink-2">{t('changes.empty')}</p>;
  return (
    <div className="flex min-w-0 flex-col @3xl:flex-row">
      <FileList changes={changes} />
      <div className="flex min-w-0 flex-1 flex-col gap-3 p-3 @3xl:p-4">
        {files.map((file, index) => (
          <FileCard
            key={file.path}
            file={file}
            anchor={`change-${index}`}
            isInConflict={changes.conflict?.paths.includes(file.path) === true}
          />
        ))}
        {notListed > 0 && (
          <p className="text-13 text-ink-2">{t('changes.notListed', { count: notListed })}</p>
        )}
      </div>
    </div>
  );
}

function LoadError({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const id = isCode(error, 'unavailable') ? error.details?.coordinatorId : undefined;
  return (
    <ErrorNote
      error={error}
      {...(typeof id === 'string' && { title: t('changes.away', { id }) })}
      {...(onRetry && { onRetry })}
      className="m-3"
    />
  );
}
