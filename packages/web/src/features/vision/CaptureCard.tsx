import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Revealed } from '../../components/Revealed.tsx';
import { canShareScreen, IMAGE_TYPES } from './images.ts';
import type { CaptureRequest } from './open-requests.ts';
import { useCapture } from './use-capture.ts';

type Capture = ReturnType<typeof useCapture>;

export interface CaptureCardProps {
  readonly request: CaptureRequest;
  readonly agentName: string;
  readonly personId: string;
  /** A picture that is pasted anywhere goes to the first card. */
  readonly takesPaste: boolean;
}

export function CaptureCard({ request, agentName, personId, takesPaste }: CaptureCardProps) {
  const { t } = useTranslation();
  const capture = useCapture(request.id, personId, takesPaste);
  return (
    <article
      aria-label={t('vision.cardOf', { name: agentName })}
      aria-busy={capture.sending !== undefined || undefined}
      data-testid={`capture-card-${request.id}`}
      data-card
      className="min-w-0 rounded-md border border-l-[3px] border-amber-line border-l-amber bg-amber-soft"
    >
      <div className="flex items-center gap-2 px-3 pt-3 text-12 text-amber-ink">
        <Icon name="file" />
        <b className="font-semibold">{t('vision.asks', { name: agentName })}</b>
      </div>
      <p className="others-text px-3 pt-1 text-14 font-semibold text-pretty wrap-anywhere">
        <Revealed text={request.source} />
      </p>
      <p className="px-3 pt-1 text-12 text-pretty text-ink-2">{t('vision.whatHappens')}</p>
      <Chosen capture={capture} />
      {capture.fault && (
        <p role="alert" className="px-3 pt-2 text-12 text-red-ink">
          {t(`vision.fault.${capture.fault}`)}
        </p>
      )}
      {capture.error !== undefined && (
        <ErrorNote error={capture.error} title={t('vision.notSent')} className="mx-2 mt-2" />
      )}
      <Actions capture={capture} />
    </article>
  );
}

function Chosen({ capture: { images, remove, sending } }: { readonly capture: Capture }) {
  const { t } = useTranslation();
  if (images.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2 px-3 pt-2">
      {images.map((image, index) => (
        <li key={index} className="relative">
          <img
            src={image}
            alt={t('vision.chosen', { number: index + 1 })}
            className="h-20 max-w-40 rounded-md border border-line bg-surface object-contain"
          />
          {sending === undefined && (
            <IconButton
              icon="close"
              label={t('vision.remove', { number: index + 1 })}
              variant="default"
              className="absolute top-1 right-1"
              onClick={() => remove(index)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function Actions({ capture }: { readonly capture: Capture }) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const { images, sending, addFiles, addScreen, send, decline } = capture;
  const isSending = sending !== undefined;
  return (
    <div className="flex flex-wrap items-center gap-2 p-3">
      {images.length > 0 && (
        <Button variant="amber" isBusy={sending === 'images'} onClick={() => void send()}>
          {t(isSending ? 'vision.sending' : 'vision.send')}
        </Button>
      )}
      {!isSending && canShareScreen() && (
        <Button icon="host" onClick={() => void addScreen()}>
          {t('vision.shareScreen')}
        </Button>
      )}
      {!isSending && (
        <Button icon="file" onClick={() => input.current?.click()}>
          {t('vision.choose')}
        </Button>
      )}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={IMAGE_TYPES.join()}
        data-testid="capture-file"
        onChange={({ currentTarget }) => {
          void addFiles([...(currentTarget.files ?? [])]);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      {sending !== 'images' && (
        <Button variant="quiet" isBusy={isSending} onClick={() => void decline()}>
          {t('vision.decline')}
        </Button>
      )}
    </div>
  );
}
