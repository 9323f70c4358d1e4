import type { PutAwayItem } from '@aizuchi/shared/contract/inbox';
import type { PutAwayRow } from '@aizuchi/shared/core/inbox/rules/put-away-rows';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Time } from '../../../components/Time.tsx';
import { clockTime, dayOf, exactTime, useNow } from '../../../lib/time.ts';
import { InboxHeading, useEffects } from '../InboxHeading.tsx';
import { useFailedRun, useItemTitle } from '../item-title.ts';

interface PutAwayItemRowProps {
  readonly row: PutAwayRow<PutAwayItem>;
  readonly projectName: string;
  readonly agentName: string | undefined;
  readonly onRestore: () => void;
}

export function PutAwayItemRow({ row, projectName, agentName, onRestore }: PutAwayItemRowProps) {
  const { t } = useTranslation();
  const { item, items } = row;
  const title = useItemTitle(item, agentName, useFailedRun(item));
  const effects = useEffects(items.filter((one) => one !== item));
  return (
    <article
      tabIndex={-1}
      aria-label={title}
      data-testid={`put-away-${item.refId}`}
      className="flex min-h-14 flex-wrap items-center gap-x-3 py-2 pr-4 pl-3 -outline-offset-2 first:rounded-t-md last:rounded-b-md max-sm:gap-y-2 max-sm:pl-4"
    >
      <InboxHeading
        kind={item.kind}
        title={title}
        where={[projectName, item.taskTitle, item.kind === 'failed_run' ? undefined : agentName, ...effects]}
        isDone
        level={2}
      />
      {item.until === undefined ? (
        <Time at={item.putAwayAt} className="flex-none text-12 text-ink-2" />
      ) : (
        <BackAt at={item.until} />
      )}
      <Button
        size="sm"
        icon="inbox"
        data-testid="put-away-restore"
        aria-keyshortcuts="u"
        className="max-sm:w-full"
        onClick={onRestore}
      >
        {t('putAway.restore')}
      </Button>
    </article>
  );
}

/** When it comes back by itself. */
function BackAt({ at }: { readonly at: string }) {
  const { t, i18n } = useTranslation();
  const now = useNow(60_000);
  const locale = i18n.language;
  const back = new Date(at);
  const clock = clockTime(back, locale);
  const isToday = back.toDateString() === now.toDateString();
  return (
    <time
      dateTime={at}
      title={exactTime(back, locale)}
      className="num flex-none rounded-full border border-line px-2 text-12 text-ink-2"
    >
      {t('putAway.backAt', { time: isToday ? clock : `${dayOf(back, now, locale)} ${clock}` })}
    </time>
  );
}
