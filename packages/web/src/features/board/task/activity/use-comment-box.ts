import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Task } from '@aizuchi/shared/contract/task';
import { type KeyboardEvent, useRef, useState } from 'react';
import { isComposing } from '../../../../lib/is-composing.ts';
import { tabStorage } from '../../../../lib/tab-storage.ts';
import { namesOf } from '../../../attachments/files.ts';
import { useFileDrafts } from '../../../attachments/use-file-drafts.ts';
import { useMentionMenu } from '../../../mentions/use-mention-menu.ts';
import { showSent } from './use-comment-place.ts';
import { useAddComment } from './use-comments.ts';

/** The comment that is written, which survives a reload of the tab, and whom it calls. */
export function useCommentBox(task: Task, members: readonly Agent[]) {
  const draftKey = `comment.${task.id}`;
  const drafts = useFileDrafts(task.projectId, draftKey);
  const [text, setText] = useState(() => tabStorage.get(draftKey) ?? '');
  const area = useRef<HTMLTextAreaElement>(null);
  const add = useAddComment(task);
  const keep = (next: string) => {
    setText(next);
    if (next === '') tabStorage.remove(draftKey);
    else tabStorage.set(draftKey, next);
  };
  const mentions = useMentionMenu({ text, change: keep, area, members });
  const change = (next: string, caret: number) => {
    keep(next);
    mentions.setCaret(caret);
  };
  const isEmpty = text.trim() === '' && drafts.files.length === 0;
  const send = () => {
    if (isEmpty || !drafts.isReady || add.isPending) return;
    const attachments = drafts.files.flatMap(({ attachment }) => attachment ?? []);
    add
      .mutateAsync({
        body: text.trim() || namesOf(attachments),
        attachments: attachments.map(({ id }) => id),
      })
      // What is written meanwhile stays; also when the panel was closed meanwhile, nothing is left of what was sent.
      .then(({ id }) => {
        showSent(id);
        drafts.drop(attachments.map(({ id }) => id));
        if (tabStorage.get(draftKey) === text) tabStorage.remove(draftKey);
        setText((now) => (now === text ? '' : now));
      })
      // The box shows why.
      .catch(() => undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent) || mentions.onKeyDown(event)) return;
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  };
  return { text, isEmpty, drafts, change, area, mentions, send, onKeyDown, add };
}
