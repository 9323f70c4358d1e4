import type { InboxItem } from '@aizuchi/shared/contract/inbox';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import type { AvatarState } from '../../components/Avatar.tsx';
import { Icon } from '../../components/Icon.tsx';
import type { IconName } from '../../components/icon-paths.ts';
import { joined } from '../../lib/joined.ts';

export const INBOX_STYLES: Record<
  InboxItem['kind'],
  { readonly icon: IconName; readonly ink: string; readonly state?: AvatarState }
> = {
  question: { icon: 'question', ink: 'text-ask-ink', state: 'waiting' },
  approval: { icon: 'shield', ink: 'text-amber-ink', state: 'waiting' },
  failed_message: { icon: 'warning', ink: 'text-red-ink', state: 'failed' },
  failed_run: { icon: 'terminal', ink: 'text-red-ink', state: 'failed' },
  review: { icon: 'check', ink: 'text-ask-ink' },
  proposal: { icon: 'bulb', ink: 'text-ask-ink', state: 'waiting' },
  blocked_task: { icon: 'blocked', ink: 'text-amber-ink' },
  mention: { icon: 'bell', ink: 'text-ask-ink' },
  unread: { icon: 'comment', ink: 'text-ink-3' },
};

interface HeadingProps {
  readonly kind: InboxItem['kind'];
  readonly title: string;
  readonly where: readonly (string | undefined)[];
  readonly isDone: boolean;
  /** Of the heading that it is. */
  readonly level?: 2 | 3;
}

/** The icon, the title and the place of a row. */
export function InboxHeading({ kind, title, where, isDone, level = 3 }: HeadingProps) {
  const { t } = useTranslation();
  const { icon, ink } = INBOX_STYLES[kind];
  const Title = `h${level}` as const;
  return (
    <>
      <span
        className={clsx(
          'grid size-6 flex-none place-items-center self-start max-sm:size-5',
          isDone ? 'text-ink-3' : ink,
        )}
      >
        <Icon name={icon} />
      </span>
      <div className="min-w-0 flex-1 basis-64 max-sm:basis-1/2">
        <Title className={clsx('text-13 wrap-anywhere', isDone ? 'text-ink-2' : 'line-clamp-2 font-medium')}>
          {title}
        </Title>
        <p className="truncate text-12 text-ink-2">{joined([t(`inbox.kind.${kind}`), ...where])}</p>
      </div>
    </>
  );
}

/** What else a failure has caused: messages that failed, a task that it blocked. */
export function useEffects(items: readonly Pick<InboxItem, 'kind'>[]): readonly string[] {
  const { t } = useTranslation();
  const countOf = (kind: InboxItem['kind']) => items.filter((item) => item.kind === kind).length;
  const [messages, tasks] = [countOf('failed_message'), countOf('blocked_task')];
  return [
    ...(messages > 0 ? [t('inbox.effect.messages', { count: messages })] : []),
    ...(tasks > 0 ? [t('inbox.effect.tasks', { count: tasks })] : []),
  ];
}
