import type { Notifications } from '@aizuchi/shared/contract/notification';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { ApiError } from '../../../lib/api/api-error.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { meQuery } from '../../../lib/queries/queries.ts';
import { addPush, canPush, ownPushChannel } from '../../notifications/background/push.ts';
import { AddChannelDialog } from './AddChannelDialog.tsx';
import { ChannelRow } from './ChannelRow.tsx';

/** Where the person is told. */
export function ChannelsPanel({ told }: { readonly told: Notifications }) {
  const { t } = useTranslation();
  const [adds, setAdds] = useState<'webhook' | 'ntfy'>();
  const { channels } = told;
  return (
    <div className="flex flex-col gap-2">
      <Panel title={t('notify.places')}>
        {channels.length === 0 && (
          <p className="px-4 py-3 text-13 text-pretty text-ink-2">{t('notify.placesEmpty')}</p>
        )}
        {channels.map((channel) => (
          <ChannelRow key={channel.id} channel={channel} />
        ))}
      </Panel>
      <div className="flex flex-wrap gap-2">
        <AddBrowser told={told} />
        <Button icon="plus" data-testid="add-webhook" onClick={() => setAdds('webhook')}>
          {t('notify.addWebhook')}
        </Button>
        <Button icon="plus" data-testid="add-ntfy" onClick={() => setAdds('ntfy')}>
          {t('notify.addNtfy')}
        </Button>
      </div>
      {!canPush() && <p className="text-12 text-pretty text-ink-2">{t('notify.noPush')}</p>}
      {adds && <AddChannelDialog kind={adds} onClose={() => setAdds(undefined)} />}
    </div>
  );
}

function AddBrowser({ told }: { readonly told: Notifications }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data: me } = useQuery(meQuery());
  const add = useMutation({
    mutationFn: (id: string) => addPush(id, told.publicKey),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.notifications }),
  });
  const isHere = told.channels.some(({ id }) => id === ownPushChannel());
  if (isHere || !me || !canPush()) return null;
  return (
    <>
      <Button
        variant="primary"
        icon="bell"
        isBusy={add.isPending}
        data-testid="add-browser"
        onClick={() => add.mutate(me.id)}
      >
        {t('notify.addBrowser')}
      </Button>
      {add.error &&
        (add.error instanceof ApiError ? (
          <ErrorNote error={add.error} className="w-full" />
        ) : (
          <p role="alert" className="w-full text-12 text-red-ink">
            {t('notify.pushRefused')}
          </p>
        ))}
    </>
  );
}
