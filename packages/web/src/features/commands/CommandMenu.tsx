import { useParams } from '@tanstack/react-router';
import clsx from 'clsx';
import { Command, defaultFilter } from 'cmdk';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import {
  ActionCommands,
  AgentCommands,
  MemoryCommands,
  OtherAgentCommands,
  PageCommands,
  ProjectCommands,
  ViewCommands,
} from './CommandGroups.tsx';
import { HitGroups } from './search/HitGroups.tsx';
import { HitPreview } from './search/HitPreview.tsx';
import { commandScore } from './search/hits.ts';
import { KindChips } from './search/KindChips.tsx';
import { SearchFoot } from './search/SearchFoot.tsx';
import { SearchNotes } from './search/SearchNotes.tsx';
import { useCommandSearch } from './use-command-search.ts';

interface MenuProps {
  readonly onClose: () => void;
}

interface CommandMenuProps extends MenuProps {
  readonly giveFocusBack: (event: Event) => void;
}

/** Ctrl/Cmd+K: commands, and in a project the search over its memories, tasks, chats and conversations. */
export function CommandMenu({ onClose, giveFocusBack }: CommandMenuProps) {
  const { t } = useTranslation();
  const { projectId } = useParams({ strict: false });
  const search = useCommandSearch(projectId, onClose);
  const isWide = projectId !== undefined;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-ink/25 dark:bg-sunken/70" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={giveFocusBack}
          onEscapeKeyDown={(event) => {
            if (search.hasColumn || search.preview === undefined) return;
            event.preventDefault();
            search.back();
          }}
          data-testid="command-menu"
          className={clsx(
            'fixed left-1/2 z-50 flex w-full -translate-x-1/2 flex-col overflow-hidden border border-line-strong bg-surface max-sm:top-0 sm:w-[calc(100%-32px)] sm:rounded-md',
            isWide
              ? 'h-dvh sm:top-[8dvh] sm:h-[min(720px,84dvh)] sm:max-w-[1040px]'
              : 'max-h-dvh sm:top-[12dvh] sm:max-w-[560px]',
          )}
        >
          <Dialog.Title className="sr-only">{t('commands.title')}</Dialog.Title>
          <MenuBody search={search} projectId={projectId} onClose={onClose} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface MenuBodyProps extends MenuProps {
  readonly search: ReturnType<typeof useCommandSearch>;
  readonly projectId: string | undefined;
}

function MenuBody({ search, projectId, onClose }: MenuBodyProps) {
  const { t } = useTranslation();
  const { words, query, project, preview, hasColumn } = search;
  const isInstead = preview !== undefined && !hasColumn;
  const field = useRef<HTMLInputElement>(null);
  // Before the dialog does it, which would select the words that were typed early.
  const focusAtEnd = useCallback((input: HTMLInputElement | null) => {
    field.current = input;
    input?.focus({ preventScroll: true });
    input?.setSelectionRange(input.value.length, input.value.length);
  }, []);
  // With the preview its button goes away, which had the focus.
  useEffect(() => (isInstead ? () => field.current?.focus() : undefined), [isInstead]);
  const retry = () => {
    // The button goes away.
    field.current?.focus();
    project.retry();
  };
  return (
    <Command
      label={t('commands.title')}
      loop
      value={search.selected}
      onValueChange={search.setSelected}
      filter={(value, typed) => commandScore(value, typed, defaultFilter)}
      onKeyDown={search.onKeyDown}
      onKeyDownCapture={keepEnterOfButton}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex flex-none items-center gap-2 border-b border-line pr-2 pl-4">
        <Icon name="search" className="text-ink-3" />
        <Command.Input
          ref={focusAtEnd}
          value={words}
          onValueChange={search.setWords}
          maxLength={1_000}
          placeholder={t(projectId === undefined ? 'commands.placeholder' : 'commands.placeholderInProject')}
          className="h-11 min-w-0 flex-1 bg-transparent text-14 outline-none"
        />
        <Dialog.Close className="flex h-6 items-center rounded-sm border border-line-strong px-1.5 text-11 text-ink-2 hover:bg-hover pointer-coarse:min-h-9 pointer-coarse:px-3">
          <span className="sr-only">{t('common.close')} </span>
          <span className="max-sm:hidden">Esc</span>
          <Icon name="close" size={14} className="sm:hidden" />
        </Dialog.Close>
      </div>
      {query !== '' && (
        <KindChips filter={search.filter} counts={project.counts} onChange={search.changeFilter} />
      )}
      <div className="flex min-h-0 flex-1">
        <MenuList
          search={search}
          projectId={projectId}
          onClose={onClose}
          notes={query !== '' && <SearchNotes {...project} retry={retry} />}
          isHidden={isInstead}
        />
        {preview && (
          <div
            className={clsx(
              'flex min-h-0',
              hasColumn ? 'w-[332px] flex-none border-l border-line' : 'w-full',
            )}
          >
            <HitPreview
              item={preview}
              texts={search.texts}
              hasVectors={search.hasVectors}
              onOpen={() => search.open(preview)}
              {...(!hasColumn && { onBack: search.back })}
            />
          </div>
        )}
      </div>
      {projectId !== undefined && (
        <SearchFoot
          total={query === '' || project.isSearching || project.error ? undefined : project.items.length}
          ms={maxOf(project.found?.timings)}
        />
      )}
    </Command>
  );
}

/** cmdk would take Enter for the selected item of the list, although a button has the focus. */
function keepEnterOfButton(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.target instanceof HTMLButtonElement) event.stopPropagation();
}

interface MenuListProps extends MenuBodyProps {
  /** Above the list, which may hold nothing but options and their groups. */
  readonly notes: ReactNode;
  readonly isHidden: boolean;
}

function MenuList({ search, projectId, onClose, notes, isHidden }: MenuListProps) {
  const { t } = useTranslation();
  const { project, filter } = search;
  const run = (action: () => unknown) => () => {
    onClose();
    action();
  };
  return (
    <div className={clsx('flex min-h-0 min-w-0 flex-1 flex-col', isHidden && 'hidden')}>
      <div className="max-h-1/2 overflow-y-auto">{notes}</div>
      {!project.isSearching && !project.error && (
        <Command.Empty className="px-3 py-4 text-13 text-ink-2">
          {t(projectId === undefined ? 'commands.nothingHere' : 'commands.nothing')}
        </Command.Empty>
      )}
      <Command.List
        label={t('search.results')}
        className={clsx(
          'min-h-0 flex-1 overflow-y-auto p-1 [&>[cmdk-list-sizer]]:flex [&>[cmdk-list-sizer]]:flex-col',
          projectId === undefined && 'max-h-[50dvh]',
        )}
      >
        {filter === 'all' && projectId !== undefined && <AgentCommands projectId={projectId} run={run} />}
        {filter === 'all' && (
          <>
            <ActionCommands projectId={projectId} run={run} />
            <ProjectCommands run={run} />
            <PageCommands projectId={projectId} run={run} />
            <ViewCommands run={run} />
            <OtherAgentCommands projectId={projectId} run={run} />
            {search.words.trim() !== '' && <MemoryCommands run={run} />}
          </>
        )}
        <HitGroups
          groups={search.groups}
          counts={project.counts}
          nameOf={search.nameOf}
          texts={search.texts}
          hasVectors={search.hasVectors}
          onSelect={search.select}
        />
      </Command.List>
    </div>
  );
}

function maxOf(timings: Readonly<Record<string, number>> | undefined): number | undefined {
  const all = Object.values(timings ?? {});
  return all.length === 0 ? undefined : Math.max(...all);
}
