import clsx from 'clsx';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { useErrorText } from '../../lib/error-text.ts';
import { type DraftFile, FileFault, mayRetry } from './drafts.ts';
import { isPicture, sizeText } from './files.ts';

interface FileTrayProps {
  readonly files: readonly DraftFile[];
  readonly onRetry: (key: string) => void;
  readonly onRemove: (key: string) => void;
}

/** The files that go with what is being written: name, size, progress, error, and how to remove each. */
export function FileTray({ files, onRetry, onRemove }: FileTrayProps) {
  const { t } = useTranslation();
  return (
    <>
      <ul
        aria-label={t('chat.files.label')}
        className="flex max-h-48 flex-wrap gap-1.5 overflow-y-auto p-2 pb-0"
      >
        {files.map((file) => (
          <TrayFile key={file.key} file={file} onRetry={onRetry} onRemove={onRemove} />
        ))}
      </ul>
      {files.some(({ error }) => error !== undefined) && (
        <p role="status" data-testid="draft-files-note" className="px-3 pt-1.5 text-12 text-ink-2">
          {t('chat.files.notSent')}
        </p>
      )}
    </>
  );
}

function TrayFile({
  file,
  onRetry,
  onRemove,
}: Pick<FileTrayProps, 'onRetry' | 'onRemove'> & { readonly file: DraftFile }) {
  const { t } = useTranslation();
  const faultText = useFaultText();
  const { key, name, size, error, attachment, progress } = file;
  const isFailed = error !== undefined;
  return (
    <li
      data-testid="draft-file"
      data-state={isFailed ? 'failed' : attachment ? 'ready' : 'uploading'}
      className={clsx(
        'relative flex max-w-full min-w-0 items-center gap-1.5 overflow-hidden rounded-md border py-0.5 pr-0.5 pl-1.5 text-12',
        isFailed ? 'border-red-line bg-red-soft text-red-ink' : 'border-line bg-sunken text-ink',
      )}
    >
      <Thumbnail file={file} />
      <span className="flex min-w-0 flex-col">
        <span className="max-w-48 truncate">{name}</span>
        <span
          className={clsx('num text-11', !isFailed && 'text-ink-2')}
          role={isFailed ? 'alert' : undefined}
        >
          {isFailed ? faultText(error) : sizeText(size)}
        </span>
      </span>
      {mayRetry(file) && (
        <Button size="sm" variant="quiet" onClick={() => onRetry(key)}>
          {t('chat.retry')}
        </Button>
      )}
      <IconButton icon="close" label={t('chat.files.remove', { name })} onClick={() => onRemove(key)} />
      {!isFailed && !attachment && (
        <progress
          aria-label={t('chat.files.uploading', { name })}
          value={progress}
          className="absolute inset-x-0 bottom-0 h-0.5 w-full accent-accent"
        />
      )}
    </li>
  );
}

/** Of a file that is still in this tab, a picture of it. */
function Thumbnail({ file: { file, attachment, error } }: { readonly file: DraftFile }) {
  const [url, setUrl] = useState<string>();
  const isShown =
    file !== undefined && (attachment ? isPicture(attachment) : isPicture({ mediaType: file.type }));
  useEffect(() => {
    if (!isShown || error !== undefined) return;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file, isShown, error]);
  if (!isShown || url === undefined)
    return <Icon name={error === undefined ? 'file' : 'warning'} size={16} />;
  return <img src={url} alt="" className="size-8 flex-none rounded-sm object-cover" />;
}

function useFaultText(): (error: unknown) => string {
  const { t } = useTranslation();
  const errorText = useErrorText();
  return (error) => (error instanceof FileFault ? t(`chat.files.fault.${error.fault}`) : errorText(error));
}
