import { useTranslation } from 'react-i18next';

/** Nothing while all is read. */
export function UnreadBadge({ count }: { readonly count: number }) {
  const { t } = useTranslation();
  if (count === 0) return null;
  return (
    <span className="num flex h-4 min-w-4 flex-none items-center justify-center rounded-full bg-accent px-1 text-[10px] font-semibold text-on-accent">
      <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
      <span className="sr-only">{t('agents.unread', { count })}</span>
    </span>
  );
}
