import type { Approval } from '@aizuchi/shared/contract/approval';
import { policyNote } from '@aizuchi/shared/platform/texts/approval-texts';
import { isolated } from '@aizuchi/shared/platform/texts/isolated';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import type { IconName } from '../../components/icon-paths.ts';
import { Revealed } from '../../components/Revealed.tsx';
import { WhoAndWhen } from '../../components/WhoAndWhen.tsx';
import { toLocale } from '../../lib/i18n.ts';
import { meQuery } from '../../lib/queries/queries.ts';
import { toCancelReason } from '../questions/cancel-reason.ts';
import { ApprovalInput } from './ApprovalInput.tsx';
import { subjectOf } from './approval-input.ts';
import { overtakenBy } from './own-decision.ts';
import { refusedDecision } from './refusal-store.ts';

type Outcome = Exclude<Approval['status'], 'pending'>;

const ICONS: Readonly<Record<Outcome, IconName>> = {
  allowed_once: 'shield',
  allowed_session: 'shield',
  denied: 'close',
  timeout: 'clock',
  cancelled: 'close',
};

/** An approval that is over, in one line: "Allowed for this session: pnpm test — Takahashi 12:31". */
export function ApprovalLine({ approval }: { readonly approval: Approval }) {
  const { t, i18n } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const { id, status, policy } = approval;
  if (status === 'pending') return null;
  const note = policy ? policyNote(toLocale(i18n.language), policy) : approval.note;
  const isAllowed = status === 'allowed_once' || status === 'allowed_session';
  const overtaken = overtakenBy(approval, refusedDecision(id), me?.id);
  return (
    <details
      data-testid={`approval-card-${id}`}
      data-status={status}
      className={clsx(
        'group/card min-w-0 rounded-md border text-12 text-ink-2',
        isAllowed ? 'border-line bg-surface' : 'border-dashed border-line-strong',
      )}
    >
      <summary className="flex min-h-[30px] cursor-pointer list-none items-center gap-2 rounded-md px-3 hover:bg-hover pointer-coarse:min-h-9 [&::-webkit-details-marker]:hidden">
        <Icon name={ICONS[status]} size={14} className={isAllowed ? 'text-amber-ink' : 'text-ink-3'} />
        <span
          role={overtaken === 'nobody' ? undefined : 'status'}
          className="flex min-w-0 flex-1 overflow-hidden whitespace-pre"
        >
          <Outcome approval={approval} status={status} overtaken={overtaken} />
        </span>
        <Facts approval={approval} />
      </summary>
      <div className="flex flex-col gap-2 border-t border-line px-2 py-2.5">
        <p className="others-text px-1 text-13 whitespace-pre-wrap text-ink wrap-anywhere">
          <Revealed text={approval.summary} />
        </p>
        <ApprovalInput approval={approval} />
        {note !== undefined && <p className="others-text px-1 whitespace-pre-wrap wrap-anywhere">{note}</p>}
        {(status === 'timeout' || status === 'cancelled') && (
          <p className="px-1">{t('approvals.neverYes')}</p>
        )}
      </div>
    </details>
  );
}

interface OutcomeProps {
  readonly approval: Approval;
  readonly status: Outcome;
  /** Whose decision came before that of this tab. */
  readonly overtaken: ReturnType<typeof overtakenBy>;
}

function Outcome({ approval, status, overtaken }: OutcomeProps) {
  const { t } = useTranslation();
  const { summary, note, policy, cancelReason, decidedBy = '' } = approval;
  const decidedByName = approval.decidedByName ?? decidedBy;
  const subject = subjectOf(approval);
  return (
    <>
      {overtaken === 'another' && (
        <span className="max-w-[calc(100%-4em)] flex-none truncate">
          {t('approvals.decidedFirst', { name: decidedByName })}
        </span>
      )}
      <span className="flex-none">
        {overtaken === 'me' && t('approvals.decidedElsewhere')}
        {overtaken !== 'nobody' && ' · '}
        <b className="font-medium text-ink">{t(`approvals.state.${status}`)}</b>
        {status === 'cancelled' &&
          cancelReason !== undefined &&
          ` (${t(`approvals.cancelReason.${toCancelReason(cancelReason)}`)})`}
        {t('approvals.separator')}
      </span>
      <span className={clsx('min-w-0 truncate', subject !== undefined && 'font-mono text-ink')}>
        <Revealed text={subject ?? summary.split('\n', 1).join()} />
      </span>
      {note !== undefined && policy === undefined && (
        <span className="min-w-0 truncate">{t('approvals.note', { note })}</span>
      )}
    </>
  );
}

/** Who decided, and when. */
function Facts({ approval }: { readonly approval: Approval }) {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const { decidedBy, decidedByName, policy, resolvedAt, createdAt } = approval;
  const name = decidedBy === me?.id ? t('chat.you') : isolated(decidedByName ?? decidedBy ?? '');
  const decider = decidedBy === undefined ? undefined : name;
  return (
    <WhoAndWhen who={policy === undefined ? decider : t('approvals.byPolicy')} at={resolvedAt ?? createdAt} />
  );
}
