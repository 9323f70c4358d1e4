import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { CopyButton } from './CopyButton.tsx';

interface OneTimeSecretProps {
  readonly secret: string;
  readonly label: string;
  /** Where the secret is needed. */
  readonly hint: string;
  readonly testId: string;
}

/** A passkey or token. It cannot be shown again: the server stores only its hash. */
export function OneTimeSecret({ secret, label, hint, testId }: OneTimeSecretProps) {
  const { t } = useTranslation();
  return (
    <div className="rounded-md border border-amber-line bg-amber-soft px-3 py-2">
      <p className="text-12 font-semibold text-amber-ink">{label}</p>
      <div className="mt-1 flex items-center gap-2">
        <code data-testid={testId} className="min-w-0 flex-1 text-13 wrap-anywhere select-all">
          {secret}
        </code>
        <CopyButton text={secret} label={label} testId={`${testId}-copy`} />
      </div>
      <p className="mt-1 flex items-start gap-1.5 text-12 text-amber-ink">
        <Icon name="info" size={14} className="mt-px" />
        {/* Each on a line of its own: Japanese has no space between sentences. */}
        <span>
          {t('settings.once')}
          <span className="block">{hint}</span>
        </span>
      </p>
    </div>
  );
}
