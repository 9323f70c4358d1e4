import type { Language } from '../../language.ts';
import { TEXTS_EN } from './texts.en.ts';
import { TEXTS_JA } from './texts.ja.ts';
import type { BuiltinTexts } from './texts-shape.ts';

export const TEXTS: Readonly<Record<Language, BuiltinTexts>> = { ja: TEXTS_JA, en: TEXTS_EN };
