import type { NotificationChannel, UpdateChannelBody } from '@aizuchi/shared/contract/notification';
import { CATEGORIES } from '@aizuchi/shared/core/notifications/rules/categories';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '../../../components/Button.tsx';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { Switch } from '../../../components/Switch.tsx';
import { Time } from '../../../components/Time.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { ownPushChannel, removePush } from '../../notifications/background/push.ts';

/** One place: whether it works, a test, what it gets, on or off. */
export function ChannelRow({ channel }: { readonly channel: NotificationChannel }) {
  const { t } = useTranslation();
  const { id, kind, name, isOn } = channel;
  const channelParams = { params: { channelId: id } };
  const change = useChange((body: UpdateChannelBody) =>
    callApi('updateNotificationChannel', { ...channelParams, body }),
  );
  const test = useChange(() => callApi('testNotificationChannel', channelParams));
  const remove = useChange(async () => {
    await callApi('deleteNotificationChannel', channelParams);
    if (id === ownPushChannel()) await removePush();
  });
  const [isAsked, setIsAsked] = useState(false);
  return (
    <div data-testid={`channel-${kind}`} className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Icon
          name={kind === 'web_push' ? 'bell' : kind === 'webhook' ? 'link' : 'globe'}
          size={16}
          className="text-ink-3"
        />
        <div className="min-w-0 flex-1 basis-48">
          <h3 className="truncate text-13 font-medium">
            {id === ownPushChannel() ? `${t('notify.thisBrowser')} · ${name}` : name}
          </h3>
          <p className="truncate text-12 text-ink-2">
            {t(`notify.kind.${kind}`)} · <span dir="ltr">{channel.address}</span>
          </p>
          <State channel={channel} />
        </div>
        <Button
          size="sm"
          isBusy={test.isPending}
          data-testid="channel-test"
          onClick={() => test.mutate(undefined)}
        >
          {t('notify.test')}
        </Button>
        <IconButton icon="trash" label={`${t('notify.remove')}: ${name}`} onClick={() => setIsAsked(true)} />
        <Switch
          isOn={isOn}
          label={t('notify.isOn', { name })}
          onChange={(on) => change.mutate({ isOn: on })}
        />
      </div>
      {test.data?.sent && (
        <p role="status" className="text-12 text-ink-2">
          {t('notify.tested')}
        </p>
      )}
      <Gets channel={channel} onChange={(categories) => change.mutate({ categories })} />
      {(change.error ?? test.error) && <ErrorNote error={change.error ?? test.error} />}
      <ConfirmDialog
        open={isAsked}
        onOpenChange={setIsAsked}
        title={t('notify.removeTitle', { name })}
        confirmLabel={t('notify.remove')}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      >
        <p>{t('notify.removeText')}</p>
        {remove.error && <ErrorNote error={remove.error} className="mt-3" />}
      </ConfirmDialog>
    </div>
  );
}

function State({ channel: { failure, failedAt, lastSentAt } }: { readonly channel: NotificationChannel }) {
  const { t } = useTranslation();
  if (failure !== undefined)
    return (
      <p data-testid="channel-failure" className="text-12 text-pretty text-red-ink">
        {t(`notify.failure.${failure}`)}
        {failedAt && (
          <>
            {' · '}
            <Time at={failedAt} />
          </>
        )}
      </p>
    );
  if (lastSentAt === undefined) return <p className="text-12 text-ink-2">{t('notify.neverSent')}</p>;
  return (
    <p data-testid="channel-sent" className="text-12 text-ink-2">
      {t('notify.lastSent')} <Time at={lastSentAt} />
    </p>
  );
}

interface GetsProps {
  readonly channel: NotificationChannel;
  readonly onChange: (categories: NotificationChannel['categories']) => void;
}

function Gets({ channel: { name, categories }, onChange }: GetsProps) {
  const { t } = useTranslation();
  const isAll = categories.length === CATEGORIES.length;
  const names = CATEGORIES.filter((one) => categories.includes(one)).map((one) =>
    t(`notify.category.${one}`),
  );
  const summary = isAll
    ? t('notify.everything')
    : names.length === 0
      ? t('notify.nothing')
      : names.join(', ');
  return (
    <details>
      <summary className="w-fit cursor-default text-12 text-ink-2">
        {t('notify.gets')}: {summary}
      </summary>
      <fieldset className="mt-2 flex flex-wrap gap-x-4 gap-y-1">
        <legend className="sr-only">{t('notify.getsOf', { name })}</legend>
        {CATEGORIES.map((one) => (
          <label key={one} className="flex min-h-9 items-center gap-1.5 text-12">
            <input
              type="checkbox"
              className="accent-accent"
              checked={categories.includes(one)}
              onChange={({ currentTarget }) =>
                onChange(
                  CATEGORIES.filter((each) =>
                    each === one ? currentTarget.checked : categories.includes(each),
                  ),
                )
              }
            />
            {t(`notify.category.${one}`)}
          </label>
        ))}
      </fieldset>
    </details>
  );
}

function useChange<Input, Output>(call: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSettled: () => client.invalidateQueries({ queryKey: keys.notifications }),
  });
}
