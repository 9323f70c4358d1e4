import { useEffect, useRef, useState } from 'react';
import { callApi } from '../../lib/api/call-api.ts';
import { ImageError, type ImageFault, MAX_IMAGES, picturesIn, readImages, takeScreenshot } from './images.ts';

/** Images that the person has chosen for a request and not sent, and how they are sent. */
export function useCapture(requestId: string, personId: string, takesPaste: boolean) {
  const [images, setImages] = useState<readonly string[]>([]);
  // Some may be added while others are read.
  const newest = useRef(images);
  const keep = (next: readonly string[]) => {
    newest.current = next;
    setImages(next);
  };
  const [fault, setFault] = useState<ImageFault>();
  const [error, setError] = useState<unknown>();
  const [sending, setSending] = useState<'images' | 'refusal'>();

  const add = async (read: () => Promise<readonly string[]>) => {
    setFault(undefined);
    setError(undefined);
    try {
      const more = await read();
      if (newest.current.length + more.length > MAX_IMAGES) throw new ImageError('count');
      keep([...newest.current, ...more]);
    } catch (caught) {
      setFault(caught instanceof ImageError ? caught.fault : 'screen');
    }
  };
  const addFiles = (files: readonly File[]) => add(() => readImages(files));
  const send = async (kind: 'images' | 'refusal', answer: { images: string[]; error?: string }) => {
    setSending(kind);
    setError(undefined);
    try {
      await callApi('answerCapture', { body: { request_id: requestId, client_id: personId, ...answer } });
    } catch (caught) {
      setError(caught);
    }
    setSending(undefined);
  };

  useEffect(() => {
    if (!takesPaste) return undefined;
    const onPaste = (event: ClipboardEvent) => {
      const files = picturesIn(event.clipboardData);
      if (files.length === 0 || isForText(event)) return;
      event.preventDefault();
      // Before the composer, which would attach it to the message.
      event.stopPropagation();
      void addFiles(files);
    };
    document.addEventListener('paste', onPaste, { capture: true });
    return () => document.removeEventListener('paste', onPaste, { capture: true });
  });

  return {
    images,
    fault,
    error,
    sending,
    addFiles,
    addScreen: () =>
      add(async () => {
        const image = await takeScreenshot();
        return image === undefined ? [] : [image];
      }),
    remove: (index: number) => keep(newest.current.filter((_, at) => at !== index)),
    send: () => send('images', { images: [...images] }),
    decline: () => send('refusal', { images: [], error: 'declined' }),
  };
}

/** A table or a page that was copied has its picture beside its text: who pastes into a text means the text. */
function isForText({ target, clipboardData }: ClipboardEvent): boolean {
  return (
    target instanceof Element &&
    target.closest('input, textarea, [contenteditable=true]') !== null &&
    clipboardData?.getData('text/plain') !== ''
  );
}
