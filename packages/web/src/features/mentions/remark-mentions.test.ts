import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { expect, test } from 'vitest';
import { remarkMentions } from './remark-mentions.ts';

const WHO = [
  { id: 'agt_ann', name: 'Ann Lee' },
  { id: 'takahashi', name: '高橋' },
];
const htmlOf = (text: string) =>
  renderToStaticMarkup(
    createElement(ReactMarkdown, { remarkPlugins: [remarkGfm, [remarkMentions, WHO]] }, text),
  );

test.each([
  ['Ask @Ann Lee.', '<p>Ask <mark title="agt_ann">@Ann Lee</mark>.</p>'],
  ['**@高橋**さん', '<p><strong><mark title="takahashi">@高橋</mark></strong>さん</p>'],
  [
    '@高橋 and\n@高橋',
    '<p><mark title="takahashi">@高橋</mark> and\n<mark title="takahashi">@高橋</mark></p>',
  ],
  ['`@高橋` a@高橋', '<p><code>@高橋</code> a@高橋</p>'],
  ['[@高橋](https://example.com)', '<p><a href="https://example.com">@高橋</a></p>'],
  ['<b>@高橋</b>', '<p>&lt;b&gt;<mark title="takahashi">@高橋</mark>&lt;/b&gt;</p>'],
  ['\\*@高橋', '<p>*@高橋</p>'],
])('%j', (text, html) => {
  expect(htmlOf(text)).toBe(html);
});
