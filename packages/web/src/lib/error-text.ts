import { useTranslation } from 'react-i18next';
import { ApiError } from './api/api-error.ts';

/**
 * The sentence for an error in the reader's language: by its code, or by the reason or the name of a refused field. For other
 * invalid input the server's message, which names the field, is appended.
 */
export function useErrorText(): (error: unknown) => string {
  const { t, i18n } = useTranslation();
  return (error) => {
    if (!(error instanceof ApiError)) return t('errors.unknown');
    const reason = `errors.${reasonOf(error)}`;
    if (i18n.exists(reason)) return t(reason as 'errors.unknown');
    const field = `settings.refused.${pathOf(error)}`;
    if (error.code === 'invalid_input' && i18n.exists(field)) return t(field as 'errors.unknown');
    const folder = `errors.folder.${String(error.details?.reason)}`;
    if (error.code === 'working_directory_not_allowed' && i18n.exists(folder))
      return t(folder as 'errors.unknown', { ...error.details });
    const key = `errors.${error.code}`;
    const text = i18n.exists(key) ? t(key as 'errors.unknown', { ...error.details }) : t('errors.unknown');
    return error.code === 'invalid_input' ? `${text} (${error.message})` : text;
  };
}

/** The reason of the first refused field. */
function reasonOf(error: ApiError): string {
  const first = firstIssue(error);
  return 'reason' in first ? String(first.reason) : '';
}

function pathOf(error: ApiError): string {
  const first = firstIssue(error);
  return 'path' in first ? String(first.path) : '';
}

function firstIssue({ details }: ApiError): object {
  const [first]: readonly unknown[] = Array.isArray(details?.issues) ? details.issues : [];
  return typeof first === 'object' && first !== null ? first : {};
}
