import type { Message } from '@aizuchi/shared/contract/chat';
import { SYSTEM_TEXT_CODES, systemText } from '@aizuchi/shared/platform/texts/system-texts';

/** In the reader's language where its code is known; the last lines of a process are shown apart. */
export function systemWords(
  { content, system }: Message,
  locale: 'ja' | 'en',
): { text: string; detail: string } {
  const code = SYSTEM_TEXT_CODES.find((one) => one === system?.code);
  if (!system || code === undefined) return { text: content, detail: '' };
  const detail = String(system.params.lastLines ?? system.params.lastLine ?? '').trim();
  const text = systemText(locale, code, { ...system.params, lastLine: '' });
  return { text: text.replace(/[:：]\s*$/, locale === 'ja' ? '。' : '.'), detail };
}
