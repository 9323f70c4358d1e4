import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Timeline } from './timeline.ts';

const LONGEST = 400;

/** Says to a screen reader what arrives; not what is read from the history. */
export function Announcer({ timeline }: { readonly timeline: Timeline }) {
  const { t } = useTranslation();
  const { messages, isLoaded } = timeline;
  const [saidSeq, setSaidSeq] = useState<number>();
  const last = messages.at(-1);
  useEffect(() => {
    if (isLoaded && saidSeq === undefined) setSaidSeq(last?.seq ?? 0);
  }, [isLoaded, saidSeq, last]);
  const isNew = saidSeq !== undefined && last !== undefined && last.seq > saidSeq && last.sender !== 'user';
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {isNew && t('chat.said', { name: last.senderName, text: last.content.slice(0, LONGEST) })}
    </div>
  );
}
