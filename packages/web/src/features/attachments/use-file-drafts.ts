import { type ClipboardEvent, type DragEvent, useState } from 'react';
import { useStore } from '../../lib/store.ts';
import { FileDrafts } from './drafts.ts';
import { filesIn, hasFiles, isLongPaste } from './files.ts';

/** One for each draft of the tab: an upload goes on when the panel closes. */
const drafts = new Map<string, FileDrafts>();

function draftsOf(projectId: string, key: string): FileDrafts {
  const known = drafts.get(key);
  if (known) return known;
  const made = new FileDrafts(key, async (file, options) => {
    const { uploadFile } = await import('../../lib/api/upload-file.ts');
    return uploadFile(projectId, file, options);
  });
  drafts.set(key, made);
  return made;
}

/** The files of a draft, and what a field has to do that takes dropped and pasted ones. */
export function useFileDrafts(projectId: string, draftKey: string) {
  const own = draftsOf(projectId, `${draftKey}.files`);
  const files = useStore(own.files);
  const [isOver, setIsOver] = useState(false);
  const onDrag = (event: DragEvent) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    setIsOver(true);
  };
  return {
    files,
    /** All of them are uploaded. */
    isReady: files.every(({ attachment }) => attachment !== undefined),
    isOver,
    add: (chosen: readonly File[]) => own.add(chosen),
    retry: (key: string) => own.retry(key),
    remove: (key: string) => own.remove(key),
    take: () => own.take(),
    drop: (ids: readonly string[]) => own.drop(ids),
    target: {
      onDragEnter: onDrag,
      onDragOver: onDrag,
      onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setIsOver(false);
      },
      onDrop: (event: DragEvent) => {
        setIsOver(false);
        if (!hasFiles(event.dataTransfer)) return;
        event.preventDefault();
        own.add(filesIn(event.dataTransfer));
      },
      onPaste: (event: ClipboardEvent) => {
        const { clipboardData: data, target } = event;
        const text = data.getData('text/plain');
        const pasted = filesIn(data);
        // Programs for tables and texts put a picture of it beside the text.
        if (pasted.length > 0 && text === '') own.add(pasted);
        else if (target instanceof HTMLTextAreaElement && isLongPaste(text, besideSelection(target)))
          own.add([new File([text], 'pasted.txt', { type: 'text/plain' })]);
        else return;
        event.preventDefault();
      },
    },
  };
}

function besideSelection({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): string {
  return value.slice(0, selectionStart) + value.slice(selectionEnd);
}
