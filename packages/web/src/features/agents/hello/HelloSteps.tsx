import type { Agent } from '@aizuchi/shared/contract/agent';
import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { Project } from '@aizuchi/shared/contract/project';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { useStopwatchText } from '../../../lib/stopwatch-text.ts';
import { useNow } from '../../../lib/time.ts';
import { recentRunsQuery } from '../recent-runs-query.ts';
import { HelloFaultNote } from './HelloFaultNote.tsx';
import type { Hello } from './hello.ts';
import { type StepView, stepsOf } from './hello-view.ts';

interface HelloStepsProps {
  readonly hello: Hello;
  readonly agent: Agent;
  readonly project: Project;
  readonly session: AgentSessionView | undefined;
}

/** The steps of the test; the remedy stands at the one that fails. */
export function HelloSteps({ hello, agent, project, session }: HelloStepsProps) {
  const { t } = useTranslation();
  const now = useNow(100).getTime();
  const steps = stepsOf(hello, now);
  const told = steps.findLast(({ state }) => state !== 'open');
  const host = useHost({ projectId: project.id, agentId: agent.id });
  return (
    <>
      <p role="status" className="sr-only">
        {told && t(`hello.step.${told.step}`) + t(`hello.state.${told.state}`)}
      </p>
      <ol aria-label={t('hello.steps')} className="py-1">
        {steps.map((view) => (
          <li key={view.step} data-testid={`hello-${view.step}`} data-state={view.state}>
            <StepLine
              view={view}
              detail={view.step === 'place' && view.state === 'done' ? host : undefined}
            />
            {view.state === 'failed' && hello.fault && (
              <HelloFaultNote fault={hello.fault} agent={agent} projectId={project.id} />
            )}
            {view.state === 'current' && <Waiting session={session} />}
          </li>
        ))}
      </ol>
    </>
  );
}

interface Place {
  readonly projectId: string;
  readonly agentId: string;
}

/** Where the newest process of the agent runs. */
function useHost({ projectId, agentId }: Place): string | undefined {
  const { data } = useQuery(recentRunsQuery(projectId, agentId));
  return data?.runs[0]?.host;
}

interface StepLineProps {
  readonly view: StepView;
  readonly detail: string | undefined;
}

function StepLine({ view: { step, state, ms, wasReady }, detail }: StepLineProps) {
  const { t } = useTranslation();
  const stopwatchText = useStopwatchText();
  const time = () => {
    if (state === 'open') return t('hello.notYet');
    if (wasReady) return t('hello.wasReady');
    return ms === undefined ? '–' : stopwatchText(ms);
  };
  return (
    <p
      className={clsx(
        'grid min-h-7 grid-cols-[14px_minmax(0,1fr)_auto] items-center gap-2.5 px-3 py-1 text-13',
        state === 'failed' && 'text-red-ink',
        state === 'open' && 'text-ink-3',
      )}
    >
      {state === 'current' ? <Spinner /> : <Icon name={ICONS[state]} size={14} className={TONES[state]} />}
      <span className={clsx('min-w-0', state !== 'open' && 'font-medium')}>
        {t(`hello.step.${step}`)}
        {detail !== undefined && <span className="font-normal text-ink-3"> {detail}</span>}
        <span className="sr-only">{t(`hello.state.${state}`)}</span>
      </span>
      <span
        className={clsx('num text-12', state === 'done' && 'text-ink-2')}
        title={ms === undefined && state === 'done' && !wasReady ? t('hello.unseen') : undefined}
      >
        {time()}
      </span>
    </p>
  );
}

const ICONS = { done: 'done', failed: 'warning', open: 'circle' } as const;
const TONES = { done: 'text-green-ink', failed: undefined, open: undefined } as const;

const REASONS = ['no_coordinator', 'capacity', 'cooling_down', 'session_ending'] as const;

/** What a start waits for, as far as the server knows. */
function Waiting({ session }: { readonly session: AgentSessionView | undefined }) {
  const { t } = useTranslation();
  const text = session && textOf(session);
  if (text === undefined) return null;
  return (
    <p
      data-testid="hello-waiting"
      className="mx-3 mb-2 ml-9 rounded-sm border border-amber-line bg-amber-soft px-3 py-2 text-12 text-amber-ink"
    >
      {text}
    </p>
  );

  function textOf({ chatStatus, phase, reason, position = 1, pullPercent = 0 }: AgentSessionView) {
    if (chatStatus === 'waiting_for_person') return t('hello.asks');
    if (chatStatus === 'starting' && phase === 'trying_again') return t('chat.tryingAgain');
    if (chatStatus === 'starting' && phase === 'pulling') return t('chat.pulling', { percent: pullPercent });
    const known = REASONS.find((one) => chatStatus === 'queued' && one === reason);
    return known && t(`chat.waits.${known}`, { position });
  }
}
