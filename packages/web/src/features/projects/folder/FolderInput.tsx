import { type ComponentProps, Suspense, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Input } from '../../../components/Field.tsx';
import { FolderPicker } from './lazy-folder-picker.ts';

interface FolderInputProps extends ComponentProps<'input'> {
  /** The project that would use the folder. */
  readonly projectId?: string;
}

/** The path of a working folder: written, or chosen from a list. */
export function FolderInput({ projectId, ...props }: FolderInputProps) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const pickerId = useId();
  const use = (path: string) => {
    setIsOpen(false);
    if (!input.current) return;
    input.current.value = path;
    // The dialog counts it as written.
    input.current.dispatchEvent(new Event('input', { bubbles: true }));
    input.current.focus();
  };
  return (
    <>
      <div className="flex items-center gap-2">
        <Input
          {...props}
          ref={input}
          name="workingDirectory"
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
        <Button
          icon="folder"
          aria-expanded={isOpen}
          aria-controls={isOpen ? pickerId : undefined}
          data-testid="folder-choose"
          className="h-8 pointer-coarse:h-10"
          onClick={() => setIsOpen(!isOpen)}
        >
          {t('projects.chooseFolder')}
        </Button>
      </div>
      {isOpen && (
        <Suspense>
          <FolderPicker
            id={pickerId}
            from={input.current?.value.trim() ?? ''}
            projectId={projectId}
            onUse={use}
          />
        </Suspense>
      )}
    </>
  );
}
