export const FRESH_MS = 30_000;
export const CARD =
  'inline-flex max-w-full items-center gap-1.5 rounded-sm border border-line bg-surface px-1.5 align-bottom text-13 text-ink no-underline hover:border-line-strong';
