import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { amountText } from '../lib/amount-text.ts';
import { dayOf } from '../lib/time.ts';
import { barHeight, type UsageDay } from '../lib/usage-days.ts';

interface UsageBarsProps {
  /** Oldest first; the last one is today. */
  readonly days: readonly UsageDay[];
  /** Tokens of a day; drawn as a line. */
  readonly limit?: number | undefined;
}

/** Tokens by day. For screen readers it is a table. */
export function UsageBars({ days, limit }: UsageBarsProps) {
  const { t, i18n } = useTranslation();
  const text = (day: string) => dayOf(new Date(`${day}T12:00:00`), new Date(), i18n.language);
  const most = Math.max(limit ?? 0, ...days.map(({ tokens }) => tokens));
  const [first, middle, last] = [days[0], days[Math.floor((days.length - 1) / 2)], days.at(-1)];
  if (!first || !middle || !last) return null;
  return (
    <div data-testid="usage-days">
      <table className="sr-only">
        <caption>{t('usage.byDay')}</caption>
        <tbody>
          {days.map(({ day, tokens }) => (
            <tr key={day}>
              <th scope="row">{text(day)}</th>
              <td>{t('chat.usage.tokens', { amount: amountText(tokens) })}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div aria-hidden="true">
        <div className="relative mx-3 mt-6 flex h-20 items-end gap-[min(8px,0.6%)]">
          {limit !== undefined && (
            <span
              className="num absolute inset-x-0 border-t border-dashed border-ink-3 text-11 text-ink-3"
              style={{ bottom: `${barHeight(limit, most) * 100}%` }}
            >
              <span className="absolute -top-[17px] left-0">
                {t('usage.limit', { amount: amountText(limit) })}
              </span>
            </span>
          )}
          {days.map(({ day, tokens }) => (
            <span
              key={day}
              title={`${text(day)}: ${amountText(tokens)}`}
              className="flex h-full min-w-px flex-1 flex-col justify-end"
            >
              <span
                className={clsx(
                  'block min-h-px rounded-t-[2px]',
                  tokens === 0 ? 'bg-line-strong' : day === last.day ? 'bg-accent' : 'bg-accent-line',
                )}
                style={{ height: `${barHeight(tokens, most) * 100}%` }}
              />
            </span>
          ))}
        </div>
        <div className="num flex justify-between border-t border-line px-3 pt-1 pb-2 text-11 text-ink-3">
          <span>{text(first.day)}</span>
          <span>{text(middle.day)}</span>
          <span className="text-accent-ink">{t('usage.today', { amount: amountText(last.tokens) })}</span>
        </div>
      </div>
    </div>
  );
}
