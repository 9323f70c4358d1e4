import type { Language } from '../../../language.ts';
import { SHIRITORI_TEXTS_EN } from './texts.en.ts';
import { SHIRITORI_TEXTS_JA } from './texts.ja.ts';
import type { ShiritoriTexts } from './texts-shape.ts';

export const SHIRITORI_TEXTS: Readonly<Record<Language, ShiritoriTexts>> = {
  ja: SHIRITORI_TEXTS_JA,
  en: SHIRITORI_TEXTS_EN,
};
