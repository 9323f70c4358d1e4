import type { Attachment } from '@aizuchi/shared/contract/attachment';
import { type KeyboardEvent, useState } from 'react';
import { isComposing } from '../../../lib/is-composing.ts';
import { tabStorage } from '../../../lib/tab-storage.ts';
import { namesOf } from '../../attachments/files.ts';
import type { useFileDrafts } from '../../attachments/use-file-drafts.ts';
import { MAX_PERSON_MESSAGE_LENGTH } from '../limits.ts';

interface ComposerInput {
  /** Where the draft is kept in the tab's storage. */
  readonly draftKey: string;
  readonly enterSends: boolean;
  /** The files of the message. */
  readonly files: Pick<ReturnType<typeof useFileDrafts>, 'files' | 'isReady' | 'take'>;
  readonly onSend: (content: string, files: readonly Attachment[]) => void;
}

/** The draft, which survives a reload of the tab, and the keys that send it. */
export function useComposer({ draftKey, enterSends, files, onSend }: ComposerInput) {
  const [text, setText] = useState(() => tabStorage.get(draftKey) ?? '');
  const content = text.trim();
  const remaining = MAX_PERSON_MESSAGE_LENGTH - [...content].length;
  const hasContent = content !== '' || files.files.length > 0;
  const canSend = hasContent && remaining >= 0 && files.isReady;
  const change = (next: string) => {
    setText(next);
    if (next === '') tabStorage.remove(draftKey);
    else tabStorage.set(draftKey, next);
  };
  const send = () => {
    if (!canSend) return;
    const sent = files.take();
    onSend(content === '' ? namesOf(sent) : content, sent);
    change('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    const hasModifier = event.ctrlKey || event.metaKey;
    const isSendKey = event.key === 'Enter' && (hasModifier || (enterSends && !event.shiftKey));
    if (!isSendKey) return;
    send();
    event.preventDefault();
  };
  return { text, change, remaining, canSend, send, onKeyDown };
}
