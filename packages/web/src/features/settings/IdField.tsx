import { useTranslation } from 'react-i18next';
import { Field, Input } from '../../components/Field.tsx';

/** An optional id that the person chooses. */
export function IdField({ hint, testId }: { readonly hint: string; readonly testId: string }) {
  const { t } = useTranslation();
  return (
    <Field label={t('settings.idOptional')} hint={hint}>
      {(control) => (
        <Input
          {...control}
          name="id"
          pattern="[a-z][a-z0-9_\-]{1,63}"
          title={t('settings.idRule')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-testid={testId}
          className="font-mono"
        />
      )}
    </Field>
  );
}
