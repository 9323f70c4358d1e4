import { expect, test } from 'vitest';
import { isShownInline, kindOf, mediaTypeOf } from './media-type.ts';
import { PIECE_LENGTH, textPiece } from './text-piece.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const PNG = '\x89PNG\r\n\x1a\n';

test.each([
  ['a.png', bytes(PNG), 'image/png'],
  ['a.html', bytes(`${PNG}<script>alert(1)</script>`), 'image/png'],
  ['a.jpg', bytes('\xff\xd8\xff\xe0'), 'image/jpeg'],
  ['a.webp', bytes('RIFF\x01\x02\x03\x04WEBP'), 'image/webp'],
  ['a.png', bytes('<html><script>alert(1)</script>'), 'text/plain'],
  ['a.svg', bytes('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), 'text/plain'],
  ['a.html', bytes('<!doctype html>'), 'text/plain'],
  ['a.gif', bytes('GIF89a'), 'image/gif'],
  ['a.pdf', bytes('%PDF-1.7\n'), 'application/pdf'],
  ['a.txt', bytes('%PDF-1.7\n'), 'application/pdf'],
  ['notes.MD', Buffer.from('# 議事録'), 'text/markdown'],
  ['a.json', Buffer.from('{}'), 'application/json'],
  ['a.csv', Buffer.from('a,b'), 'text/csv'],
  ['a.constructor', Buffer.from('x'), 'text/plain'],
  ['log', Buffer.from('\x1b[31mred\x1b[0m\r\n\tdone'), 'text/plain'],
  ['a.txt', bytes('caf\xe9'), 'application/octet-stream'],
  ['a.txt', bytes('a\0b'), 'application/octet-stream'],
])('%s with %j is %s', (name, content, expected) => {
  expect(mediaTypeOf(content, name)).toBe(expected);
});

test('only pictures without scripts are shown inline', () => {
  const shown = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/svg+xml', 'text/html'];
  expect(shown.map(isShownInline)).toEqual([true, true, true, false, false, false]);
  expect(['image/webp', 'text/csv', 'application/json', 'application/pdf'].map(kindOf)).toEqual([
    'image',
    'text',
    'text',
    'file',
  ]);
});

test('a long text is given in pieces of whole characters', () => {
  const text = `${'x'.repeat(PIECE_LENGTH - 1)}😀 end`;
  const first = textPiece(text, 0);
  expect(first).toEqual({ text: 'x'.repeat(PIECE_LENGTH - 1), nextOffset: PIECE_LENGTH - 1 });
  expect(textPiece(text, PIECE_LENGTH - 1)).toEqual({ text: '😀 end' });
  expect(textPiece(text, 1e6)).toEqual({ text: '' });
});
