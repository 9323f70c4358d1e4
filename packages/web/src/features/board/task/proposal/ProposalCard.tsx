import type { Proposal } from '@aizuchi/shared/contract/proposal';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../../components/Button.tsx';
import { ErrorNote } from '../../../../components/ErrorNote.tsx';
import { Input } from '../../../../components/Field.tsx';
import { useNameOf } from '../../../../lib/queries/use-name-of.ts';
import { acceptanceOf, type EditedPart, editedParts } from './choice.ts';
import { useDecideProposal, useOpenProposal } from './use-proposal.ts';

export interface ProposalCardProps {
  readonly projectId: string;
  readonly taskId: string;
  readonly canWrite: boolean;
}

/** The parts that an agent proposes of a task, to be chosen, edited and accepted, or declined; nothing while there are none. */
export function ProposalCard({ projectId, taskId, canWrite }: ProposalCardProps) {
  const proposal = useOpenProposal(projectId, taskId);
  return proposal ? <OpenProposal key={proposal.id} proposal={proposal} canWrite={canWrite} /> : null;
}

function OpenProposal({ proposal, canWrite }: { readonly proposal: Proposal; readonly canWrite: boolean }) {
  const { t } = useTranslation();
  const id = useId();
  const nameOf = useNameOf();
  const [edited, setEdited] = useState(() => editedParts(proposal));
  const decision = useDecideProposal(proposal);
  const acceptance = acceptanceOf(proposal, edited);
  const change = (index: number, part: Partial<EditedPart>) =>
    setEdited(edited.map((one, at) => (at === index ? { ...one, ...part } : one)));
  return (
    <section
      aria-labelledby={id}
      data-testid="proposal-card"
      className="flex flex-col gap-2 rounded-md border border-line-strong bg-surface p-3"
    >
      <h3 id={id} className="text-13 font-semibold">
        {t('task.split.title', { name: nameOf(proposal.agentId), count: proposal.parts.length })}
      </h3>
      <ol className="flex flex-col gap-1.5">
        {proposal.parts.map((part, index) => (
          <PartRow
            key={index}
            n={index + 1}
            part={part}
            edited={edited[index] ?? { isChosen: true, title: part.title }}
            canWrite={canWrite && !decision.isPending}
            onChange={(changed) => change(index, changed)}
          />
        ))}
      </ol>
      {decision.error && <ErrorNote error={decision.error} />}
      {canWrite && (
        <div className="flex flex-wrap gap-2">
          <Button
            variant="primary"
            size="sm"
            data-testid="proposal-accept"
            disabled={!acceptance}
            isBusy={decision.isPending}
            onClick={() => acceptance && decision.mutate(acceptance)}
          >
            {t('task.split.accept', { count: edited.filter(({ isChosen }) => isChosen).length })}
          </Button>
          <Button
            size="sm"
            data-testid="proposal-decline"
            disabled={decision.isPending}
            onClick={() => decision.mutate({ decision: 'decline' })}
          >
            {t('task.split.decline')}
          </Button>
        </div>
      )}
    </section>
  );
}

interface PartRowProps {
  readonly n: number;
  readonly part: Proposal['parts'][number];
  readonly edited: EditedPart;
  readonly canWrite: boolean;
  readonly onChange: (changed: Partial<EditedPart>) => void;
}

function PartRow({ n, part, edited, canWrite, onChange }: PartRowProps) {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  const { dependsOn, assigneeId, description = '' } = part;
  const notes = [
    dependsOn.length > 0 && t('task.split.after', { numbers: dependsOn.join(t('task.comma')) }),
    assigneeId !== undefined && nameOf(assigneeId),
  ].filter((note) => note !== false);
  return (
    <li className="flex flex-col gap-0.5">
      <span className="flex items-center gap-2">
        <input
          type="checkbox"
          aria-label={t('task.split.choose', { n, title: part.title })}
          checked={edited.isChosen}
          disabled={!canWrite}
          data-testid={`proposal-part-${n}`}
          onChange={({ currentTarget }) => onChange({ isChosen: currentTarget.checked })}
        />
        <span className="num w-5 text-right text-12 text-ink-3">{n}.</span>
        <Input
          aria-label={t('task.split.partTitle', { n })}
          value={edited.title}
          disabled={!canWrite || !edited.isChosen}
          data-testid={`proposal-title-${n}`}
          onChange={({ currentTarget }) => onChange({ title: currentTarget.value })}
        />
      </span>
      {notes.length > 0 && <span className="pl-12 text-12 text-ink-3">{notes.join(' · ')}</span>}
      {description !== '' && (
        <span className="line-clamp-3 pl-12 text-12 wrap-anywhere whitespace-pre-line text-ink-2">
          {description}
        </span>
      )}
    </li>
  );
}
