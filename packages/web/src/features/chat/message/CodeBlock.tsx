import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';
import { lateComponent } from '../../../lib/late-component.ts';
import type { ColouredCodeProps } from './ColouredCode.tsx';
import { isColoured } from './code-languages.ts';

const COPIED_MS = 2_000;

/** With the grammars of the languages: loaded with the first block that has colours. */
const ColouredCode = lateComponent<ColouredCodeProps>(
  async () => (await import('./ColouredCode.tsx')).ColouredCode,
  ({ text }) => text,
);

export function CodeBlock({
  language,
  text,
  isWhole,
}: {
  readonly language: string | undefined;
  readonly text: string;
  /** Its text does not grow any more: it gets colours, which would be worked out anew with each word. */
  readonly isWhole: boolean;
}) {
  const { t } = useTranslation();
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
  };
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-canvas">
      <figcaption className="flex h-7 items-center gap-2 border-b border-line pr-1 pl-2.5 text-11 text-ink-2">
        <span className="min-w-0 flex-1 truncate font-mono">{language ?? t('chat.code')}</span>
        {/* Browsers have a clipboard only in a secure context. */}
        {'clipboard' in navigator && (
          <button
            type="button"
            onClick={() => void copy()}
            className="flex h-5 items-center gap-1 rounded-sm px-1.5 text-12 font-medium hover:bg-hover hover:text-ink pointer-coarse:h-7"
          >
            <Icon name={isCopied ? 'check' : 'copy'} size={14} />
            <span aria-live="polite">{isCopied ? t('chat.copied') : t('chat.copy')}</span>
          </button>
        )}
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard, too.
        tabIndex={0}
        dir="ltr"
        className="overflow-x-auto px-2.5 py-2 font-mono text-12 leading-5 whitespace-pre -outline-offset-2"
      >
        <code>
          {isWhole && language !== undefined && isColoured(language, text) ? (
            <ColouredCode language={language} text={text} />
          ) : (
            text
          )}
        </code>
      </pre>
    </figure>
  );
}
