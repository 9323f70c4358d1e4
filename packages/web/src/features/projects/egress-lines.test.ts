import { expect, test } from 'vitest';
import { egressEntriesIn } from './egress-lines.ts';

test.each([
  ['nothing', ' \n\n', []],
  [
    'lines',
    'example.org\r\n  *.example.net:8443 \n\nexample.com',
    ['example.org', '*.example.net:8443', 'example.com'],
  ],
  ['a list with commas', 'example.org, example.com', ['example.org', 'example.com']],
  ['capitals, and one twice', 'Example.org\nexample.ORG', ['example.org']],
])('%s', (_what, text, entries) => expect(egressEntriesIn(text)).toEqual(entries));
