import type { Agent } from '@aizuchi/shared/contract/agent';
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { isComposing } from '../../lib/is-composing.ts';
import { mentionAt, mentionable, mentionName, withMention } from './open-mention.ts';

export interface MentionMenuState {
  /** Whom the menu offers; empty: it is closed. */
  readonly people: readonly Agent[];
  /** The place of the chosen one. */
  readonly at: number;
  readonly pick: (person: Agent | undefined) => void;
  readonly setCaret: (caret: number) => void;
  /** The text has lost the focus: the menu is closed. */
  readonly onBlur: () => void;
  /** Whether the menu has used the key. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
}

interface MentionInput {
  readonly text: string;
  readonly change: (next: string) => void;
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly members: readonly Agent[];
}

/** The menu of names that an `@` in a text field opens. */
export function useMentionMenu({ text, change, area, members }: MentionInput): MentionMenuState {
  const [caret, setCaret] = useState(0);
  const [chosen, setChosen] = useState<{ readonly words: string; readonly at: number }>();
  const [closedAt, setClosedAt] = useState<number>();
  const caretAfter = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (caretAfter.current === undefined) return;
    area.current?.setSelectionRange(caretAfter.current, caretAfter.current);
    caretAfter.current = undefined;
  });
  const mention = mentionAt(text, caret);
  // Another mention may begin at the same place.
  if (closedAt !== undefined && closedAt !== mention?.start) setClosedAt(undefined);
  const people = mention && mention.start !== closedAt ? mentionable(members, mention.words) : [];
  const at = chosen && chosen.words === mention?.words ? Math.min(chosen.at, people.length - 1) : 0;
  const pick = (person: Agent | undefined) => {
    if (!mention || !person) return;
    const next = withMention(text, mention, mentionName(person, members));
    caretAfter.current = next.caret;
    setCaret(next.caret);
    change(next.text);
    area.current?.focus();
  };
  const onKey = ({ key, ctrlKey, metaKey, nativeEvent }: KeyboardEvent): boolean => {
    if (!mention || people.length === 0 || isComposing(nativeEvent)) return false;
    switch (key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        const next = (at + (key === 'ArrowDown' ? 1 : people.length - 1)) % people.length;
        setChosen({ words: mention.words, at: next });
        return true;
      }
      case 'Enter':
      case 'Tab':
        if (ctrlKey || metaKey) return false;
        pick(people[at]);
        return true;
      case 'Escape':
        setClosedAt(mention.start);
        return true;
      default:
        return false;
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isUsed = onKey(event);
    if (isUsed) event.preventDefault();
    return isUsed;
  };
  return { people, at, pick, setCaret, onBlur: () => setCaret(0), onKeyDown };
}
