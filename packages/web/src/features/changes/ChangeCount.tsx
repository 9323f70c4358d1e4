import { useTranslation } from 'react-i18next';

/** "+4 −1" */
export function ChangeCount({
  additions,
  deletions,
}: {
  readonly additions: number;
  readonly deletions: number;
}) {
  const { t } = useTranslation();
  return (
    <span className="num inline-flex flex-none gap-1.5 font-mono text-12 font-medium">
      {additions > 0 && (
        <span className="text-green-ink">
          <span className="sr-only">{t('chat.steps.added')} </span>+{additions}
        </span>
      )}
      {deletions > 0 && (
        <span className="text-red-ink">
          <span className="sr-only">{t('chat.steps.removed')} </span>−{deletions}
        </span>
      )}
    </span>
  );
}
