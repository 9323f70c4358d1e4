import type { TFunction } from 'i18next';
import { newId } from './new-id.ts';

/** The test message: everybody in the chat sees that it is one. It asks for one word, by which a model is known to work. */
export function helloBody(t: TFunction): { readonly content: string; readonly clientMessageId: string } {
  return {
    content: t('hello.message', { word: t('hello.word') }),
    clientMessageId: newId(),
  };
}
