import type { Options } from 'react-markdown';
import remarkCjkFriendly from 'remark-cjk-friendly';
import remarkGfm from 'remark-gfm';
import { remarkBareLinks } from './remark-bare-links.ts';
import { remarkClosedCode } from './remark-closed-code.ts';

/** Of every text. CommonMark itself takes `**注意：**この` for no emphasis. */
export const MARKDOWN_PLUGINS: NonNullable<Options['remarkPlugins']> = [
  remarkGfm,
  remarkCjkFriendly,
  remarkBareLinks,
  remarkClosedCode,
];
