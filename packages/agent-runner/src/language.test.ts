import { expect, test } from 'vitest';
import { languageOf } from './language.ts';

test.each([
  ['タスクの進捗を教えてください', 'ja'],
  ['How are the tasks going?', 'en'],
  ['👍 123', undefined],
  // A name in another script does not change the language of the sentence.
  ['Play shiritori with こだま for 5 rounds', 'en'],
  ['What did 高橋 say about the office?', 'en'],
  ['Beacon さん、進捗は？', 'ja'],
  ['Docker compose build error を直して', 'ja'],
  ['README and docs/api.md と tests を見て', 'ja'],
  ['OK です', 'ja'],
  ['お願いします {"reason": "the build of main fails"}', 'ja'],
  ['原因：Cannot find module in the cache。', 'ja'],
])('%s: %s', (text, language) => {
  expect(languageOf(text)).toBe(language);
});
