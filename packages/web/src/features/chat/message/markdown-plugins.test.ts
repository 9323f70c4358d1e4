import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import ReactMarkdown from 'react-markdown';
import { describe, expect, test } from 'vitest';
import { remarkMentions } from '../../mentions/remark-mentions.ts';
import { MARKDOWN_PLUGINS } from './markdown-plugins.ts';

const WHO = [{ id: 'takahashi', name: '高橋' }];
const html = (children: string) =>
  renderToStaticMarkup(
    createElement(ReactMarkdown, { remarkPlugins: [...MARKDOWN_PLUGINS, [remarkMentions, WHO]], children }),
  );

test.each([
  ['**注意：**この操作は元に戻せません。', '<strong>注意：</strong>この操作は元に戻せません。'],
  ['**「設定」**を開きます', '<strong>「設定」</strong>を開きます'],
  ['これは**「重要」**です', 'これは<strong>「重要」</strong>です'],
  ['**25%**の増加', '<strong>25%</strong>の増加'],
  ['a ** b ** c', 'a ** b ** c'],
])('emphasis beside Japanese text: %s', (text, expected) => {
  expect(html(text)).toBe(`<p>${expected}</p>`);
});

describe('an address without a space behind it', () => {
  const link = (url: string, text = url) => `<a href="${url}">${text}</a>`;
  test.each([
    ['https://example.com/issues/12を見てください', `${link('https://example.com/issues/12')}を見てください`],
    ['（https://example.com/a）です', `（${link('https://example.com/a')}）です`],
    ['https://example.com/a?b=c、次に', `${link('https://example.com/a?b=c')}、次に`],
    ['www.example.comを見て', `${link('http://www.example.com', 'www.example.com')}を見て`],
    [
      'https://example.com/a、@高橋さん',
      `${link('https://example.com/a')}、<mark title="takahashi">@高橋</mark>さん`,
    ],
    ['https://example.com/a）。**25%**です', `${link('https://example.com/a')}）。<strong>25%</strong>です`],
    [
      'https://example.com/1とhttps://example.com/2を',
      `${link('https://example.com/1')}と${link('https://example.com/2')}を`,
    ],
    ['see https://example.com/a.', `see ${link('https://example.com/a')}.`],
  ])('ends where the address ends: %s', (text, expected) => {
    expect(html(text)).toBe(`<p>${expected}</p>`);
  });

  test('is read again a bounded number of times, however many follow one another', () => {
    const shown = html('https://example.com/1と'.repeat(300));
    expect(shown.match(/<a /g)).toHaveLength(21);
    const list = '- https://example.com/1（**重要**）\n'.repeat(100);
    expect(html(list).match(/<strong>/g)).toHaveLength(100);
    expect(shown).toMatch(/と(https:\/\/example.com\/1と){279}<\/p>$/);
  });

  test.each([
    [
      'https://ja.wikipedia.org/wiki/日本語の歴史',
      'https://ja.wikipedia.org/wiki/%E6%97%A5%E6%9C%AC%E8%AA%9E%E3%81%AE%E6%AD%B4%E5%8F%B2',
    ],
    [
      'https://ja.wikipedia.org/wiki/ひらがな',
      'https://ja.wikipedia.org/wiki/%E3%81%B2%E3%82%89%E3%81%8C%E3%81%AA',
    ],
    ['<https://example.com/aを>', 'https://example.com/a%E3%82%92'],
    ['[https://example.com/aを](https://example.com/aを)', 'https://example.com/a%E3%82%92'],
  ])('with Japanese in it stays whole: %s', (text, href) => {
    expect(html(text)).toContain(`href="${href}"`);
  });
});
