import type { RetrievalRun } from '@aizuchi/shared/contract/memory';
import { messageOfRef } from '@aizuchi/shared/core/memory/rules/message-ref';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Chip } from '../../../components/Chip.tsx';
import { Time } from '../../../components/Time.tsx';
import { withoutChat } from '../../../lib/chat-search.ts';
import { LegBars, useLegNames } from '../../commands/search/legs.tsx';
import { useMemoryRights } from '../../memory/use-memory-rights.ts';
import { CorrectState } from './CorrectState.tsx';
import type { UsedMemory } from './use-memory-used.ts';
import { legsOf } from './used.ts';

interface UsedMemoryRowProps {
  readonly used: UsedMemory;
  readonly run: RetrievalRun;
  readonly projectId: string;
  readonly agentId: string;
}

/** One memory: what the agent was given of it, its kind, when and from whom it is, and what found it. */
export function UsedMemoryRow({ used, run, projectId, agentId }: UsedMemoryRowProps) {
  const { t } = useTranslation();
  const { mayChange } = useMemoryRights();
  const { item, event, state, isGone } = used;
  if (isGone) return <p className="px-3 py-2 text-13 text-ink-3">{t('memoryUsed.deleted')}</p>;
  const at = state?.lastConfirmedAt ?? event?.createdAt;
  const legs = legsOf(run, item);
  return (
    <article className="flex flex-col gap-1 px-3 py-2">
      <div className="flex items-start gap-3">
        <p className="line-clamp-6 min-w-0 flex-1 text-13 wrap-anywhere whitespace-pre-wrap">
          {item.snippet}
        </p>
        <SourceLink used={used} agentId={agentId} />
      </div>
      <p className="num flex flex-wrap items-center gap-x-2 gap-y-1 text-11 text-ink-3">
        <Chip>{t(`search.memoryKind.${state?.kind ?? 'event'}`)}</Chip>
        {at !== undefined && <Time at={at} />}
        {event?.actor !== undefined && <bdi>{event.actor}</bdi>}
        <Legs legs={legs} words={item.why} />
      </p>
      {state !== undefined && state.kind !== 'long_mood_state' && mayChange(state) && (
        <CorrectState projectId={projectId} agentId={agentId} state={state} />
      )}
    </article>
  );
}

function Legs({ legs, words }: { readonly legs: readonly string[]; readonly words: string }) {
  const names = useLegNames()(legs);
  // A model says in its own words why it took it.
  if (legs.length === 0) return <span className="min-w-0 wrap-anywhere">{words}</span>;
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <span aria-hidden="true">{names}</span>
      <LegBars hitSources={legs} hasVectors={legs.includes('vector')} />
    </span>
  );
}

/** To the message that it was made from. */
function SourceLink({ used: { event }, agentId }: { readonly used: UsedMemory; readonly agentId: string }) {
  const { t } = useTranslation();
  const message = event?.sourceRef === undefined ? undefined : messageOfRef(event.sourceRef);
  const projectId = event?.projectId;
  if (event?.source !== 'chat' || message === undefined || projectId === undefined) return null;
  return (
    <Link
      to="/projects/$projectId"
      params={{ projectId }}
      search={(search) => ({ ...withoutChat(search), agent: agentId, message })}
      className="flex-none text-12 text-accent-ink hover:underline"
    >
      {t('memoryUsed.toMessage')}
    </Link>
  );
}
