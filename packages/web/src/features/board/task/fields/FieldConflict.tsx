import { useTranslation } from 'react-i18next';
import { Button } from '../../../../components/Button.tsx';
import { Icon } from '../../../../components/Icon.tsx';
import type { TextField } from './use-text-field.ts';

/** Another person changed the same text: shows it, and the person decides which of the two stays. */
export function FieldConflict({ field, theirs }: { readonly field: TextField; readonly theirs: string }) {
  const { t } = useTranslation();
  return (
    <div
      role="alert"
      data-testid="task-conflict"
      className="flex items-start gap-2 rounded-md border border-amber-line bg-amber-soft px-3 py-2 text-13 text-amber-ink"
    >
      <Icon name="people" className="mt-0.5" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{t('board.conflict')}</p>
        <p className="mt-1 line-clamp-6 whitespace-pre-wrap wrap-anywhere text-ink">
          {theirs || t('board.none')}
        </p>
        <div className="mt-2 flex flex-wrap gap-2">
          <Button size="sm" data-testid="task-take-theirs" onClick={field.takeTheirs}>
            {t('task.takeTheirs')}
          </Button>
          <Button size="sm" data-testid="task-keep-mine" onClick={field.keepMine}>
            {t('task.keepMine')}
          </Button>
        </div>
      </div>
    </div>
  );
}
