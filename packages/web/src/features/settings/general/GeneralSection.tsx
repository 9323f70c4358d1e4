import type { Agent } from '@aizuchi/shared/contract/agent';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Input, Select } from '../../../components/Field.tsx';
import { Panel, ReadingPage } from '../../../components/Panel.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { forgetError, formText } from '../../../lib/form.ts';
import { useEnterSends } from '../../../lib/hooks/use-enter-sends.ts';
import { changeLocale, toLocale } from '../../../lib/i18n.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { meQuery } from '../../../lib/queries/queries.ts';
import { useStore } from '../../../lib/store.ts';
import { setTheme, theme } from '../../../lib/theme.ts';
import { toast } from '../../../lib/toast.ts';
import { useAskedSignOut } from '../../auth/use-asked-sign-out.tsx';
import { SettingRow } from '../SettingRow.tsx';
import { PasskeyForm } from './PasskeyForm.tsx';

/** The settings of this person and this browser. */
export function GeneralSection() {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const { signOut, question } = useAskedSignOut(me);
  return (
    <ReadingPage title={t('app.settingsSection.general')}>
      <Panel title={t('settings.display')}>
        <LanguageRow />
        <ThemeRow />
        <SendKeyRow />
      </Panel>
      {me && (
        <Panel title={t('settings.account')}>
          <NameRow me={me} />
          <PasskeyForm isFirst={!me.hasCredential} />
          <div className="flex items-center justify-between gap-4 px-4 py-3">
            <p className="min-w-0 text-12 text-ink-2">
              {t('settings.signedInAs')} <span className="font-mono text-ink">{me.id}</span> ·{' '}
              {t(`app.accessLevel.${me.accessLevel ?? 'viewer'}`)}
            </p>
            <Button icon="signOut" onClick={signOut}>
              {t('app.signOut')}
            </Button>
          </div>
        </Panel>
      )}
      {question}
    </ReadingPage>
  );
}

function LanguageRow() {
  const { t, i18n } = useTranslation();
  return (
    <SettingRow label={t('settings.language')} hint={t('settings.languageHint')}>
      {(control) => (
        <Select
          {...control}
          data-testid="settings-language"
          value={toLocale(i18n.language)}
          onChange={(event) => void changeLocale(toLocale(event.target.value))}
        >
          <option value="ja" lang="ja">
            日本語
          </option>
          <option value="en" lang="en">
            English
          </option>
        </Select>
      )}
    </SettingRow>
  );
}

function ThemeRow() {
  const { t } = useTranslation();
  const mode = useStore(theme);
  return (
    <SettingRow label={t('settings.theme')}>
      {(control) => (
        <Select
          {...control}
          data-testid="settings-theme"
          value={mode}
          onChange={(event) => setTheme(event.target.value === 'dark' ? 'dark' : 'light')}
        >
          <option value="light">{t('settings.light')}</option>
          <option value="dark">{t('settings.dark')}</option>
        </Select>
      )}
    </SettingRow>
  );
}

/** Takes effect when a chat is opened. */
function SendKeyRow() {
  const { t } = useTranslation();
  const [enterSends, setEnterSends] = useEnterSends();
  return (
    <SettingRow label={t('settings.sendKey')} hint={t('settings.sendKeyHint')}>
      {(control) => (
        <Select
          {...control}
          data-testid="settings-send-key"
          value={enterSends ? 'enter' : 'mod'}
          onChange={(event) => setEnterSends(event.target.value === 'enter')}
        >
          <option value="mod">{t('settings.modEnter')}</option>
          <option value="enter">Enter</option>
        </Select>
      )}
    </SettingRow>
  );
}

function NameRow({ me }: { readonly me: Agent }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (name: string) => callApi('updateAgent', { params: { aid: me.id }, body: { name } }),
    onSuccess: (changed) => {
      client.setQueryData(keys.me, changed);
      toast.success(t('common.saved'));
      void client.invalidateQueries({ queryKey: keys.agents });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate(formText(new FormData(event.currentTarget), 'name'));
  };
  return (
    <form onSubmit={submit} onChange={forgetError(save)}>
      <SettingRow
        label={t('settings.name')}
        hint={t('settings.nameHint')}
        error={save.error && <ErrorNote error={save.error} />}
      >
        {(control) => (
          <>
            <Input
              {...control}
              name="name"
              required
              maxLength={200}
              defaultValue={me.name}
              autoComplete="name"
              data-testid="settings-name"
              className="sm:w-48"
            />
            <Button type="submit" isBusy={save.isPending} data-testid="settings-name-save">
              {t('common.save')}
            </Button>
          </>
        )}
      </SettingRow>
    </form>
  );
}
