import { isolated } from '@aizuchi/shared/platform/texts/isolated';
import type { Locale } from '@aizuchi/shared/platform/texts/locale';
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Catalog, FirstTexts } from '../locales/ja.ts';
import { storage } from './storage.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'page';
    resources: { page: Catalog };
    enableSelector: false;
  }
}

const load: Record<Locale, () => Promise<FirstTexts>> = {
  ja: async () => (await import('../locales/ja.ts')).ja,
  en: async () => (await import('../locales/en.ts')).en,
};
const loadLater: Record<Locale, () => Promise<Omit<Catalog, keyof FirstTexts>>> = {
  ja: async () => (await import('../locales/ja-later.ts')).laterJa,
  en: async () => (await import('../locales/en-later.ts')).laterEn,
};

let onStart: () => void;
const started = new Promise<void>((resolve) => {
  onStart = resolve;
});
/** Something is open, or was, that needs the texts of `loadLater`. */
let needsLater = false;

/** public/theme.js has chosen the language: the stored one, else the browser's. */
export async function startTexts(): Promise<void> {
  const locale = toLocale(document.documentElement.lang);
  await i18next.use(initReactI18next).init({
    lng: locale,
    fallbackLng: false,
    ns: ['page'],
    defaultNS: 'page',
    resources: { [locale]: { page: await load[locale]() } },
    // The texts are never used as HTML; values are only isolated, so that they do not reorder the words around them.
    interpolation: { escapeValue: true, escape: isolated },
    returnNull: false,
  });
  onStart();
}

/** Code that needs the texts that are not loaded with the first page; for `lazyRouteComponent`. */
export function withTexts<T>(loadCode: () => Promise<T>): () => Promise<T> {
  return async () => {
    needsLater = true;
    const [code] = await Promise.all([loadCode(), addLater(toLocale(document.documentElement.lang))]);
    return code;
  };
}

async function addLater(locale: Locale): Promise<void> {
  const [texts] = await Promise.all([loadLater[locale](), started]);
  i18next.addResourceBundle(locale, 'page', texts, true, true);
}

export async function changeLocale(locale: Locale): Promise<void> {
  const [texts] = await Promise.all([load[locale](), needsLater && addLater(locale)]);
  i18next.addResourceBundle(locale, 'page', texts, true, true);
  document.documentElement.lang = locale;
  // Code that needed them meanwhile has loaded those of the language before.
  if (needsLater) await addLater(locale);
  await i18next.changeLanguage(locale);
  storage.set('locale', locale);
}

export function toLocale(language: string): Locale {
  return language.startsWith('ja') ? 'ja' : 'en';
}
