import type { Reason } from '../../contract/reason.ts';
import type { Locale } from './locale.ts';
import { REASONS_EN } from './reason-texts.en.ts';
import { REASONS_JA } from './reason-texts.ja.ts';

export type ReasonCode = keyof typeof REASONS_JA;

const CATALOGS: Readonly<Record<Locale, Readonly<Record<ReasonCode, string>>>> = {
  ja: REASONS_JA,
  en: REASONS_EN,
};

/** Undefined: this release does not know the code. */
export function reasonText(locale: Locale, { code, params }: Reason): string | undefined {
  if (!isReasonCode(code)) return undefined;
  return CATALOGS[locale][code].replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''));
}

/** In the reader's language where the code is known, otherwise the finished text. */
export function saidReason(locale: Locale, text: string, reason: Reason | null | undefined): string {
  return (reason && reasonText(locale, reason)) ?? text;
}

/** The end of an attempt at a task, with the last line of its process. */
export function attemptSummary(locale: Locale, summary: string, reason: Reason | undefined): string {
  const text = reason && reasonText(locale, reason);
  if (text === undefined) return summary;
  const { lastLine = '' } = reason?.params ?? {};
  return [text, lastLine].filter((part) => part !== '').join('\n');
}

function isReasonCode(code: string): code is ReasonCode {
  return Object.hasOwn(REASONS_JA, code);
}
