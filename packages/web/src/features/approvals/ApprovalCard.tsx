import type { Approval } from '@aizuchi/shared/contract/approval';
import { useQuery } from '@tanstack/react-query';
import { useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Chip } from '../../components/Chip.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Revealed } from '../../components/Revealed.tsx';
import { projectQuery } from '../../lib/queries/queries.ts';
import { useWriteAccess } from '../../lib/queries/use-write-access.ts';
import { Deadline } from '../questions/Deadline.tsx';
import { useVisibleCard } from '../questions/visible-cards.ts';
import { ApprovalActions } from './ApprovalActions.tsx';
import { ApprovalInput } from './ApprovalInput.tsx';
import { useDecide } from './use-approvals.ts';

export interface ApprovalCardProps {
  readonly approval: Approval;
  /** The name of the agent that asks. */
  readonly agentName: string;
}

const KIND_ICONS = { command: 'terminal', edit: 'edit', other: 'gear' } as const;

/** Somebody is asked to allow something. Only a click, or Space on the button, allows: no number key and not Enter. */
export function ApprovalCard({ approval, agentName }: ApprovalCardProps) {
  const { t } = useTranslation();
  const { id, projectId, tool, kind, inputCut, sessionScope } = approval;
  const card = useRef<HTMLElement>(null);
  const inputId = useId();
  const decision = useDecide(approval);
  const { canWrite, isReadOnly } = useWriteAccess(projectId);
  const { data: project } = useQuery(projectQuery(projectId));
  useVisibleCard(id, card);
  return (
    <article
      ref={card}
      aria-label={t('approvals.cardOf', { name: agentName })}
      aria-busy={decision.isSending || undefined}
      data-testid={`approval-card-${id}`}
      data-status="pending"
      data-card
      className="min-w-0 rounded-md border border-l-[3px] border-amber-line border-l-amber bg-amber-soft"
    >
      <Head approval={approval} />
      <div className="flex min-w-0 items-center gap-2 px-3 pt-2 text-12 text-ink-2">
        <Chip>
          <Icon name={KIND_ICONS[kind]} size={12} />
          <span className="max-w-50 truncate">{tool}</span>
        </Chip>
        <span className="min-w-0 truncate">{project?.name}</span>
      </div>
      <Summary text={approval.summary} />
      <div id={inputId} className="flex min-w-0 flex-col gap-2 px-2">
        <ApprovalInput approval={approval} />
        {inputCut && <p className="px-1 text-12 text-amber-ink">{t('approvals.inputCut')}</p>}
      </div>
      {decision.error && (
        <ErrorNote error={decision.error} title={t('approvals.notSent')} className="mx-2 mt-2" />
      )}
      {canWrite && (
        <ApprovalActions id={id} inputId={inputId} sessionScope={sessionScope} decision={decision} />
      )}
      {isReadOnly && (
        <p className="px-3 py-2.5 text-12 text-ink-2">
          {t(isReadOnly === 'viewer' ? 'approvals.readOnly' : 'approvals.readOnlyArchived')}
        </p>
      )}
    </article>
  );
}

function Head({ approval: { expiresAt } }: { readonly approval: Approval }) {
  const { t } = useTranslation();
  return (
    <div className="num flex items-center gap-2 px-3 pt-3 text-12 text-amber-ink">
      <Icon name="shield" />
      <b className="font-semibold">{t('approvals.needed')}</b>
      <span className="flex-1" />
      {expiresAt !== undefined && <Deadline at={expiresAt} />}
    </div>
  );
}

/** Its first line is the heading. */
function Summary({ text }: { readonly text: string }) {
  const [heading = '', ...rest] = text.trim().split('\n');
  const more = rest.join('\n').trim();
  return (
    <div className="others-text px-3 pt-1 pb-2 text-pretty wrap-anywhere">
      <p className="text-14 font-semibold">
        <Revealed text={heading} />
      </p>
      {more !== '' && (
        <p className="text-13 whitespace-pre-wrap text-ink-2">
          <Revealed text={more} />
        </p>
      )}
    </div>
  );
}
