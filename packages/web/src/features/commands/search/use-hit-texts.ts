import type { SearchItem } from '@aizuchi/shared/contract/search';
import { useTranslation } from 'react-i18next';
import { joined } from '../../../lib/joined.ts';
import { useNameOf } from '../../../lib/queries/use-name-of.ts';
import { dayOf, relativeTime, useNow } from '../../../lib/time.ts';

export interface HitTexts {
  /** What it is: the kind of a memory, the state of a task, who spoke. */
  readonly kind: (item: SearchItem) => string;
  /** Who said it: a person or an agent. */
  readonly who: (item: SearchItem) => string;
  /** For the end of a row. */
  readonly meta: (item: SearchItem) => string;
  /** Of a conversation without a purpose its two sides. */
  readonly title: (item: SearchItem) => string;
}

export function useHitTexts(): HitTexts {
  const { t, i18n } = useTranslation();
  const nameOf = useNameOf();
  const now = useNow(30_000);
  const ago = ({ createdAt }: SearchItem) => relativeTime(new Date(createdAt), now, i18n.language);
  const day = ({ createdAt }: SearchItem) => dayOf(new Date(createdAt), now, i18n.language);
  const who = ({ saidBy, agentId }: SearchItem) => saidBy ?? (agentId === undefined ? '' : nameOf(agentId));
  const sides = ({ sides = [] }: SearchItem) => {
    const [a = '', b = ''] = sides.map(nameOf);
    return t('search.sides', { a, b });
  };
  const kind = (item: SearchItem) => {
    if (item.kind === 'memory') return t(`search.memoryKind.${item.memoryKind ?? 'event'}`);
    if (item.kind === 'task' && item.status !== undefined) return t(`board.status.${item.status}`);
    return t(`search.kind.${item.kind}`);
  };
  const meta = (item: SearchItem) => {
    if (item.kind === 'task') return kind(item);
    if (item.kind === 'memory') return joined([kind(item), day(item)]);
    if (item.kind === 'chat') return joined([who(item), ago(item)]);
    return joined([t('search.messages', { count: item.messageCount ?? 0 }), ago(item)]);
  };
  return {
    kind,
    who,
    meta,
    title: (item) => item.title || (item.kind === 'conversation' ? sides(item) : ''),
  };
}
