import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { Switch } from '../../../components/Switch.tsx';
import { useStore } from '../../../lib/store.ts';
import {
  askForNotifications,
  notificationState,
  switchNotifications,
} from '../../notifications/permission.ts';

/** Whether the open page shows notifications for questions in this browser. */
export function OpenPageRow() {
  const { t } = useTranslation();
  const state = useStore(notificationState);
  return (
    <Panel title={t('notify.open')}>
      <div className="flex items-center justify-between gap-x-8 gap-y-3 px-4 py-3 max-sm:flex-col max-sm:items-stretch">
        <div className="min-w-0">
          <h3 className="text-13 font-medium">{t('notifications.questions')}</h3>
          <p className="mt-0.5 text-12 text-pretty text-ink-2">{t('notifications.hint')}</p>
          <p
            className="mt-2 text-12 text-pretty"
            data-testid="notification-state"
            data-state={state}
            role="status"
          >
            {t(`notifications.state.${state}`)}
          </p>
        </div>
        {control()}
      </div>
    </Panel>
  );

  function control(): ReactNode {
    switch (state) {
      case 'ask':
        return (
          <Button
            variant="primary"
            data-testid="notification-ask"
            className="self-start sm:self-center"
            onClick={() => void askForNotifications()}
          >
            {t('notifications.ask')}
          </Button>
        );
      case 'on':
      case 'off':
        return (
          <Switch isOn={state === 'on'} label={t('notifications.questions')} onChange={switchNotifications} />
        );
      default:
        return null;
    }
  }
}
