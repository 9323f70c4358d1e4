import { useTranslation } from 'react-i18next';
import { ApiError } from './api/api-error.ts';

/**
 * The sentence for an error: by its code in the reader's language. A refusal of what was typed names the field in
 * the server's words behind it.
 */
export function useErrorText(): (error: unknown) => string {
  const { t, i18n } = useTranslation();
  return (error) => {
    if (!(error instanceof ApiError)) return t('errors.unknown');
    const key = `errors.${error.code}`;
    const text = i18n.exists(key) ? t(key as 'errors.unknown') : t('errors.unknown');
    return error.code === 'invalid_input' ? `${text} (${error.message})` : text;
  };
}
