import { useParams } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRestoreFocus } from '../../lib/hooks/use-restore-focus.ts';
import { AgentCommands, PageCommands, ProjectCommands, ViewCommands } from './CommandGroups.tsx';
import { TaskCommands } from './TaskCommands.tsx';

interface CommandMenuProps {
  readonly onClose: () => void;
}

/** Ctrl/Cmd+K: projects, agents and tasks of the open project, pages, theme and language. */
export function CommandMenu({ onClose }: CommandMenuProps) {
  const { t } = useTranslation();
  const giveFocusBack = useRestoreFocus(true);
  const { projectId } = useParams({ strict: false });
  const [words, setWords] = useState('');
  const run = (action: () => unknown) => () => {
    onClose();
    action();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-ink/25 dark:bg-sunken/70" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={giveFocusBack}
          data-testid="command-menu"
          className="fixed top-[12dvh] left-1/2 z-50 w-[calc(100%-32px)] max-w-[520px] -translate-x-1/2 rounded-md border border-line-strong bg-surface"
        >
          <Dialog.Title className="sr-only">{t('commands.title')}</Dialog.Title>
          <Command label={t('commands.title')} loop>
            <Command.Input
              value={words}
              onValueChange={setWords}
              placeholder={t('commands.placeholder')}
              className="h-11 w-full border-b border-line bg-transparent px-4 text-14 outline-none"
            />
            <Command.List className="max-h-[50dvh] overflow-y-auto p-1">
              <Command.Empty className="px-3 py-4 text-13 text-ink-2">{t('commands.nothing')}</Command.Empty>
              {projectId !== undefined && (
                <>
                  <AgentCommands projectId={projectId} run={run} />
                  <TaskCommands projectId={projectId} words={words} run={run} />
                </>
              )}
              <ProjectCommands run={run} />
              <PageCommands projectId={projectId} run={run} />
              <ViewCommands run={run} />
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
