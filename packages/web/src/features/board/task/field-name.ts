import type { TaskField } from '@aizuchi/shared/contract/task';
import { useTranslation } from 'react-i18next';

/** What a field is called on the page. */
export function useFieldName(): (field: TaskField) => string {
  const { t } = useTranslation();
  return (field) => t(`task.field.${field}`);
}
