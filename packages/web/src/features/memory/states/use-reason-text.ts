import { useTranslation } from 'react-i18next';

/** The reasons that rules write into a revision, and what a person reads. */
const BY_RULE = {
  told: 'told',
  'told again': 'toldAgain',
  'contradicted by what was told later': 'contradicted',
  'said to be done': 'done',
  'tidied: says the same as another': 'same',
  'tidied: the same in other words': 'sameInOtherWords',
  'tidied: its day is past': 'past',
  'computed from what was felt': 'felt',
  remember: 'remembered',
} as const;

/** Why a state was changed; what a model has written stays as it is. */
export function useReasonText(): (reason: string) => string {
  const { t } = useTranslation();
  return (reason) => {
    const known = Object.entries(BY_RULE).find(([written]) => written === reason)?.[1];
    if (known !== undefined) return t(`memoryPage.reason.${known}`);
    const [, count] = /^summary of (\d+) events$/.exec(reason) ?? [];
    return count === undefined ? reason : t('memoryPage.reason.summary', { count: Number(count) });
  };
}
