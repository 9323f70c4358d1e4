import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';

interface MoreButtonProps {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
  readonly testId: string;
}

/** The next page of a list. */
export function MoreButton({ list, testId }: MoreButtonProps) {
  const { t } = useTranslation();
  if (!list.hasNextPage) return null;
  return (
    <Button
      variant="quiet"
      icon="arrowDown"
      isBusy={list.isFetchingNextPage}
      data-testid={testId}
      className="self-start"
      onClick={() => void list.fetchNextPage()}
    >
      {t('memoryPage.older')}
    </Button>
  );
}
