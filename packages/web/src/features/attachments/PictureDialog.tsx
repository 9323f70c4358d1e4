import type { Attachment } from '@aizuchi/shared/contract/attachment';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Dialog, DialogFoot } from '../../components/Dialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { sizeText } from './files.ts';
import { useFileUrl } from './use-file-url.ts';

interface PictureDialogProps {
  readonly file: Attachment;
  readonly onClose: () => void;
}

/** A picture as large as the window allows. */
export function PictureDialog({ file, onClose }: PictureDialogProps) {
  const { t } = useTranslation();
  const { url, error } = useFileUrl(file.id);
  const save = () => {
    if (url === undefined) return;
    const link = document.createElement('a');
    link.href = url;
    link.download = file.name;
    link.click();
  };
  return (
    <Dialog
      open
      size="lg"
      title={<span className="wrap-anywhere">{file.name}</span>}
      description={sizeText(file.size)}
      testId="picture-dialog"
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      {error ? (
        <ErrorNote error={error} className="m-4" />
      ) : (
        <div className="flex min-h-40 items-center justify-center bg-sunken p-2">
          {url && (
            <img
              src={url}
              alt={file.name}
              className="max-h-[min(65dvh,85dvh-9rem)] max-w-full object-contain"
            />
          )}
        </div>
      )}
      <DialogFoot>
        <Button icon="download" aria-disabled={url === undefined || undefined} onClick={save}>
          {t('chat.files.save')}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
