import { isolated } from '@aizuchi/shared/platform/texts/isolated';
import type { Locale } from '@aizuchi/shared/platform/texts/locale';
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Catalog } from '../locales/ja.ts';
import { storage } from './storage.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'page';
    resources: { page: Catalog };
    enableSelector: false;
  }
}

const load: Record<Locale, () => Promise<Catalog>> = {
  ja: async () => (await import('../locales/ja.ts')).ja,
  en: async () => (await import('../locales/en.ts')).en,
};

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
}

export async function changeLocale(locale: Locale): Promise<void> {
  i18next.addResourceBundle(locale, 'page', await load[locale](), true, true);
  await i18next.changeLanguage(locale);
  document.documentElement.lang = locale;
  storage.set('locale', locale);
}

export function toLocale(language: string): Locale {
  return language.startsWith('ja') ? 'ja' : 'en';
}
