import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import ReactMarkdown from 'react-markdown';
import { expect, test } from 'vitest';
import { remarkClosedCode } from './remark-closed-code.ts';

const html = (children: string) =>
  renderToStaticMarkup(createElement(ReactMarkdown, { remarkPlugins: [remarkClosedCode], children }));
const closed = (text: string) => html(text).match(/<code[^>]*data-closed/g)?.length ?? 0;

test.each([
  ['a fence', '```ts\na\n```'],
  ['a fence of tildes', '~~~ts\na\n~~~\n\nand text'],
  ['a longer fence around another', '````md\n```ts\na\n```\n````'],
  ['a fence in a list', '- item\n  ```ts\n  a\n  ```'],
  ['a fence in a quote', '> ```ts\n> a\n> ```'],
  ['an empty block', '```ts\n```'],
])('%s is closed', (_, text) => {
  expect(closed(text)).toBe(1);
});

test.each([
  ['the fence alone', '```ts'],
  ['its first line', '```ts\nconst a'],
  ['empty lines at the end', '```ts\nconst a\n\n'],
  ['half of a fence', '```ts\nconst a\n``'],
])('%s: it still grows', (_, text) => {
  expect(html(text)).toContain('language-ts');
  expect(closed(text)).toBe(0);
});

test('of two blocks only the first one is closed', () => {
  expect(closed('```ts\na\n```\n\n```ts\nb')).toBe(1);
});
