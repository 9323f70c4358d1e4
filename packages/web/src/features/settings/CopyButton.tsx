import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, type ButtonProps } from '../../components/Button.tsx';
import { copyText } from './copy-text.ts';

interface CopyButtonProps {
  readonly text: string;
  /** What it copies, for screen readers. */
  readonly label: string;
  readonly variant?: ButtonProps['variant'];
  readonly testId?: string;
}

const SHOWN_MS = 2_000;

/** Its label says whether copying succeeded. */
export function CopyButton({ text, label, variant = 'default', testId }: CopyButtonProps) {
  const { t } = useTranslation();
  const [result, setResult] = useState<'copied' | 'refused'>();
  useEffect(() => {
    if (result === undefined) return;
    const timer = setTimeout(() => setResult(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const word = t(`settings.copy.${result ?? 'copy'}`);
  return (
    <>
      <Button
        variant={variant}
        size="sm"
        icon={result === 'copied' ? 'check' : 'copy'}
        aria-label={`${word}: ${label}`}
        data-testid={testId}
        onClick={async () => setResult((await copyText(text)) ? 'copied' : 'refused')}
      >
        {word}
      </Button>
      <span role="status" className="sr-only">
        {result && word}
      </span>
    </>
  );
}
