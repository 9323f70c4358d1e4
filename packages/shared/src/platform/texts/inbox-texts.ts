import { isolated } from './isolated.ts';
import type { Locale } from './locale.ts';

/** The text of an inbox entry whose subject has no text of its own. */
interface InboxTexts {
  readonly failedRun: (name: string, cause: string) => string;
  readonly unread: (name: string, count: number) => string;
}

const CAUSES: Record<Locale, Readonly<Record<string, string>>> = {
  ja: {
    could_not_start: '起動できませんでした',
    crashed: '異常終了しました',
    stalled: '応答がなくなり停止しました',
    lost: 'ホストとの接続が失われました',
  },
  en: {
    could_not_start: 'could not be started',
    crashed: 'crashed',
    stalled: 'stopped responding',
    lost: 'was lost with its host',
  },
};

const TEXTS: Record<Locale, InboxTexts> = {
  ja: {
    failedRun: (name, cause) => `${isolated(name)}: ${CAUSES.ja[cause] ?? '実行に失敗しました'}`,
    unread: (name, count) => `${isolated(name)}: 未読 ${count} 件`,
  },
  en: {
    failedRun: (name, cause) => `${isolated(name)} ${CAUSES.en[cause] ?? 'failed'}`,
    unread: (name, count) => `${isolated(name)}: ${count} unread`,
  },
};

export function inboxTexts(locale: Locale): InboxTexts {
  return TEXTS[locale];
}
