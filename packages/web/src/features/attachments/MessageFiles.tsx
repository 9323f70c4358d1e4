import type { Attachment } from '@aizuchi/shared/contract/attachment';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { readFile } from '../../lib/api/call-api.ts';
import { useErrorText } from '../../lib/error-text.ts';
import { lateComponent } from '../../lib/late-component.ts';
import { saveAsFile } from '../../lib/save-as-file.ts';
import { isPicture, sizeText } from './files.ts';
import { useFileUrl } from './use-file-url.ts';

const PictureDialog = lateComponent(async () => (await import('./PictureDialog.tsx')).PictureDialog);

/** The files of a message or comment: pictures in frames of one size, so that nothing moves when they come. */
export function MessageFiles({ files }: { readonly files: readonly Attachment[] }) {
  const { t } = useTranslation();
  return (
    <ul aria-label={t('chat.files.label')} className="flex max-w-full flex-wrap gap-1.5">
      {files.map((file) => (
        <li key={file.id} className="max-w-full min-w-0">
          {isPicture(file) ? <PictureFrame file={file} /> : <FileChip file={file} />}
        </li>
      ))}
    </ul>
  );
}

function PictureFrame({ file }: { readonly file: Attachment }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const { url, error } = useFileUrl(file.id);
  return (
    <>
      <button
        type="button"
        data-testid={`attachment-${file.id}`}
        aria-label={t('chat.files.open', { name: file.name })}
        title={file.name}
        onClick={() => setIsOpen(true)}
        className="flex h-36 w-52 max-w-full items-center justify-center overflow-hidden rounded-md border border-line bg-sunken hover:border-line-strong"
      >
        {error ? (
          <span className="flex flex-col items-center gap-1 p-2 text-12 text-ink-2">
            <Icon name="warning" size={16} />
            {t('chat.files.notShown')}
          </span>
        ) : (
          url && <img src={url} alt={file.name} className="size-full object-contain" />
        )}
      </button>
      {isOpen && <PictureDialog file={file} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function FileChip({ file }: { readonly file: Attachment }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const [error, setError] = useState<unknown>();
  const { id, name, size } = file;
  const save = async () => {
    setError(undefined);
    try {
      saveAsFile(name, await readFile('getAttachment', { params: { id } }));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <button
        type="button"
        data-testid={`attachment-${id}`}
        title={name}
        onClick={() => void save()}
        className="flex max-w-full min-w-0 items-center gap-1.5 rounded-md border border-line bg-surface px-2 py-1 text-12 text-ink hover:bg-hover pointer-coarse:min-h-9"
      >
        <Icon name="file" size={14} className="flex-none text-ink-2" />
        <span className="sr-only">{t('chat.files.save')}</span>
        <span className="min-w-0 truncate">{name}</span>
        <span className="num flex-none text-ink-2">{sizeText(size)}</span>
      </button>
      {error !== undefined && (
        <span role="alert" className="text-12 text-red-ink">
          {errorText(error)}
        </span>
      )}
    </>
  );
}
