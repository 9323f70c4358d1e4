import type { ChatImportResult } from '@aizuchi/shared/contract/chat-import';
import type { ProjectImportResult } from '@aizuchi/shared/contract/transfer';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { useExport, useImport, useImportChats } from './use-transfer.ts';

interface TransferPanelProps {
  readonly projectId: string;
  /** Owners. */
  readonly canImport: boolean;
}

/** The project as a file, and a project of a file. */
export function TransferPanel({ projectId, canImport }: TransferPanelProps) {
  const { t } = useTranslation();
  const save = useExport(projectId);
  return (
    <Panel title={t('transfer.title')}>
      <Row text={t('transfer.exportText')}>
        <Button
          icon="download"
          isBusy={save.isPending}
          data-testid="project-export"
          onClick={() => save.mutate()}
        >
          {t('transfer.export')}
        </Button>
      </Row>
      {save.error && <ErrorNote error={save.error} className="m-3" />}
      {canImport && <ImportRow />}
      {canImport && <ChatsRow projectId={projectId} />}
    </Panel>
  );
}

function ImportRow() {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const load = useImport();
  return (
    <>
      <Row text={t('transfer.importText')}>
        <Button icon="file" isBusy={load.isPending} onClick={() => input.current?.click()}>
          {t('transfer.import')}
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          accept=".ndjson,.jsonl"
          data-testid="project-import-file"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) load.mutate(file);
            // The same file can be chosen again.
            currentTarget.value = '';
          }}
        />
      </Row>
      {load.error && <ErrorNote error={load.error} className="m-3" />}
      {load.data && <Imported result={load.data} />}
    </>
  );
}

function ChatsRow({ projectId }: Pick<TransferPanelProps, 'projectId'>) {
  const { t } = useTranslation();
  const load = useImportChats(projectId);
  return (
    <>
      <Row text={t('transfer.chatsText')}>
        <Button
          icon="folder"
          isBusy={load.isPending}
          data-testid="project-import-chats"
          onClick={() => load.mutate()}
        >
          {t('transfer.chats')}
        </Button>
      </Row>
      {load.error && <ErrorNote error={load.error} className="m-3" />}
      {load.data && <ImportedChats result={load.data} />}
    </>
  );
}

function ImportedChats({ result: { agents, unknown } }: { readonly result: ChatImportResult }) {
  const { t } = useTranslation();
  const sum = (of: 'imported' | 'known' | 'ofConversations') =>
    agents.reduce((total, one) => total + one[of], 0);
  return (
    <div role="status" className="flex flex-col gap-1 px-4 py-3 text-13" data-testid="chats-imported">
      <p>{t('transfer.chatsImported', { count: sum('imported'), known: sum('known') })}</p>
      {sum('ofConversations') > 0 && (
        <p className="text-ink-2">{t('transfer.chatsLeft', { count: sum('ofConversations') })}</p>
      )}
      {unknown.length > 0 && (
        <p className="text-ink-2">{t('transfer.chatsUnknown', { ids: unknown.join(', ') })}</p>
      )}
    </div>
  );
}

function Imported({ result }: { readonly result: ProjectImportResult }) {
  const { t } = useTranslation();
  const { projectId, counts, unmatched } = result;
  return (
    <div role="status" className="flex flex-col gap-1 px-4 py-3 text-13" data-testid="project-imported">
      <p>
        {t('transfer.imported', { count: counts.tasks })}{' '}
        <Link to="/projects/$projectId" params={{ projectId }} className="text-accent-ink underline">
          {t('transfer.open')}
        </Link>
      </p>
      {unmatched.length > 0 && (
        <p className="text-ink-2">{t('transfer.unmatched', { names: unmatched.join(', ') })}</p>
      )}
    </div>
  );
}

function Row({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-3 px-4 py-3">
      <p className="min-w-0 flex-1 basis-60 text-13 text-ink-2">{text}</p>
      {children}
    </div>
  );
}
