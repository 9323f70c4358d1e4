import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { amountText, costText } from '../lib/amount-text.ts';
import { timeSpan } from '../lib/time.ts';
import type { UsageRow } from '../lib/usage-days.ts';

interface UsageTableProps {
  readonly caption: string;
  /** The heading of the first column. */
  readonly what: string;
  readonly rows: readonly UsageRow[];
  readonly nameOf: (key: string) => ReactNode;
}

/** Shown where there is room; a phone shows messages, tokens and cost. */
const ROOMY = 'hidden @lg:table-cell';

export function UsageTable({ caption, what, rows, nameOf }: UsageTableProps) {
  const { t, i18n } = useTranslation();
  return (
    <div className="@container">
      <table className="num w-full border-collapse text-12">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-ink-2">
          <tr className="h-8 [&>th]:px-2 [&>th]:text-right [&>th]:font-normal [&>th]:whitespace-nowrap [&>th:first-child]:pl-3 [&>th:first-child]:text-left [&>th:last-child]:pr-3">
            <th scope="col">{what}</th>
            <th scope="col">{t('usage.messages')}</th>
            <th scope="col">{t('usage.input')}</th>
            <th scope="col">{t('usage.output')}</th>
            <th scope="col" className={ROOMY}>
              {t('usage.cached')}
            </th>
            <th scope="col">{t('usage.cost')}</th>
            <th scope="col" className={ROOMY}>
              {t('usage.time')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={row.key}
              data-testid={`usage-${row.key}`}
              className="h-8 border-t border-line [&>td]:px-2 [&>td]:text-right [&>td]:whitespace-nowrap [&>td:last-child]:pr-3"
            >
              <th
                scope="row"
                className="w-full max-w-0 min-w-24 py-1 pr-2 pl-3 text-left font-medium wrap-anywhere"
              >
                {nameOf(row.key)}
              </th>
              <td>{row.messages.toLocaleString(i18n.language)}</td>
              <td>{amountText(row.inputTokens)}</td>
              <td>{amountText(row.outputTokens)}</td>
              <td className={clsx('text-ink-2', ROOMY)}>{amountText(row.cacheReadTokens)}</td>
              <td>{row.costUsd === undefined ? '–' : costText(row.costUsd)}</td>
              <td className={clsx('text-ink-2', ROOMY)}>{timeSpan(row.durationMs, i18n.language)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
