import type {
  NotificationSettings,
  UpdateNotificationSettingsBody,
} from '@aizuchi/shared/contract/notification';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Panel, ReadingPage } from '../../../components/Panel.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { Switch } from '../../../components/Switch.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { toLocale } from '../../../lib/i18n.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { notificationsQuery } from '../../notifications/notifications-query.ts';
import { CategoriesPanel } from './CategoriesPanel.tsx';
import { ChannelsPanel } from './ChannelsPanel.tsx';
import { OpenPageRow } from './OpenPageRow.tsx';
import { QuietPanel } from './QuietPanel.tsx';

export type SaveSettings = (change: UpdateNotificationSettingsBody) => void;

/** What the person is told off the page, where and when; every change is stored at once. */
export function NotificationsSection() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(notificationsQuery());
  const { save, error: refused } = useSaveSettings();
  return (
    <ReadingPage title={t('app.settingsSection.notifications')}>
      <p className="-mt-4 text-13 text-pretty text-ink-2">{t('notify.intro')}</p>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <PhaseLine>{t('common.loading')}</PhaseLine>}
      {data && (
        <>
          <ChannelsPanel told={data} />
          {refused && <ErrorNote error={refused} />}
          <CategoriesPanel rules={data.settings.rules} save={save} />
          <QuietPanel settings={data.settings} save={save} />
          <Panel title={t('notify.privacy')}>
            <div className="flex items-center justify-between gap-4 px-4 py-3">
              <div className="min-w-0">
                <h3 className="text-13 font-medium">{t('notify.hides')}</h3>
                <p className="mt-0.5 text-12 text-pretty text-ink-2">{t('notify.hidesHint')}</p>
              </div>
              <Switch
                isOn={data.settings.hidesText}
                label={t('notify.hides')}
                onChange={(hidesText) => save({ hidesText })}
              />
            </div>
          </Panel>
        </>
      )}
      <OpenPageRow />
    </ReadingPage>
  );
}

/** Stores a change, shows it at once, and the language of the page with it: messages are written in it. */
function useSaveSettings(): { readonly save: SaveSettings; readonly error: Error | null } {
  const client = useQueryClient();
  const { i18n } = useTranslation();
  const { queryKey } = notificationsQuery();
  const set = (settings: NotificationSettings) =>
    client.setQueryData(queryKey, (before) => before && { ...before, settings });
  const update = useMutation({
    mutationFn: (body: UpdateNotificationSettingsBody) =>
      callApi('updateNotificationSettings', { body: { ...body, locale: toLocale(i18n.language) } }),
    onSuccess: set,
    onError: () => client.invalidateQueries({ queryKey: keys.notifications }),
  });
  const save: SaveSettings = (change) => {
    const before = client.getQueryData(queryKey)?.settings;
    if (before) {
      const { rules, ...rest } = change;
      set({ ...before, ...withoutUndefined(rest), rules: { ...before.rules, ...rules } });
    }
    update.mutate(change);
  };
  return { save, error: update.error };
}

function withoutUndefined({
  quiet,
  timeZone,
  hidesText,
}: UpdateNotificationSettingsBody): Partial<NotificationSettings> {
  return {
    ...(quiet !== undefined && { quiet }),
    ...(timeZone !== undefined && { timeZone }),
    ...(hidesText !== undefined && { hidesText }),
  };
}
