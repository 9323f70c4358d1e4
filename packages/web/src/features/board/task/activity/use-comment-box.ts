import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Task } from '@aizuchi/shared/contract/task';
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { tabStorage } from '../../../../lib/tab-storage.ts';
import { namesOf } from '../../../attachments/files.ts';
import { useFileDrafts } from '../../../attachments/use-file-drafts.ts';
import { mentionAt, mentionable, withMention } from './mentions.ts';
import { useAddComment } from './use-comments.ts';

/** The comment that is written, which survives a reload of the tab, and whom it calls. */
export function useCommentBox(task: Task, members: readonly Agent[]) {
  const draftKey = `comment.${task.id}`;
  const drafts = useFileDrafts(task.projectId, draftKey);
  const [text, setText] = useState(() => tabStorage.get(draftKey) ?? '');
  const [caret, setCaret] = useState(0);
  const [chosen, setChosen] = useState(0);
  const [closedAt, setClosedAt] = useState<number>();
  const area = useRef<HTMLTextAreaElement>(null);
  const caretAfter = useRef<number>(undefined);
  const add = useAddComment(task);
  useLayoutEffect(() => {
    if (caretAfter.current === undefined) return;
    area.current?.setSelectionRange(caretAfter.current, caretAfter.current);
    caretAfter.current = undefined;
  });
  const mention = mentionAt(text, caret);
  const people = mention && mention.start !== closedAt ? mentionable(members, mention.words) : [];
  const at = people.length === 0 ? 0 : Math.min(chosen, people.length - 1);
  const change = (next: string, nextCaret: number) => {
    setText(next);
    setCaret(nextCaret);
    setChosen(0);
    if (next === '') tabStorage.remove(draftKey);
    else tabStorage.set(draftKey, next);
  };
  const pick = (person: Agent | undefined) => {
    if (!mention || !person) return;
    const next = withMention(text, mention, person.name);
    caretAfter.current = next.caret;
    change(next.text, next.caret);
    area.current?.focus();
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
      .then(() => {
        drafts.drop(attachments.map(({ id }) => id));
        if (tabStorage.get(draftKey) === text) tabStorage.remove(draftKey);
        setText((now) => (now === text ? '' : now));
      })
      // The box shows why.
      .catch(() => undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (people.length > 0 && onMenuKey(event)) return event.preventDefault();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  };
  /** Whether the menu of names has used the key. */
  const onMenuKey = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean => {
    switch (key) {
      case 'ArrowDown':
      case 'ArrowUp':
        setChosen((at + (key === 'ArrowDown' ? 1 : people.length - 1)) % people.length);
        return true;
      case 'Enter':
      case 'Tab':
        if (ctrlKey || metaKey) return false;
        pick(people[at]);
        return true;
      case 'Escape':
        setClosedAt(mention?.start);
        return true;
      default:
        return false;
    }
  };
  return { text, isEmpty, drafts, change, setCaret, area, people, at, pick, send, onKeyDown, add };
}
