import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Project } from '@aizuchi/shared/contract/project';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Select } from '../../../components/Field.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { useStopwatchText } from '../../../lib/stopwatch-text.ts';
import { clockTime } from '../../../lib/time.ts';
import { HelloEnd } from './HelloEnd.tsx';
import { HelloSteps } from './HelloSteps.tsx';
import type { Hello } from './hello.ts';
import { totalMs } from './hello-view.ts';
import { useHello } from './use-hello.ts';

interface HelloPanelProps {
  readonly agent: Agent;
  /** Those in which it can be greeted; at least one. */
  readonly projects: readonly Project[];
}

/** "Say hello": a test message in the chat, with each step and its time. */
export function HelloPanel({ agent, projects }: HelloPanelProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string>();
  const project = projects.find(({ id }) => id === chosen) ?? projects[0];
  if (!project) return null;
  const choice = projects.length > 1 && (
    <Select
      aria-label={t('hello.project')}
      value={project.id}
      onChange={(event) => setChosen(event.target.value)}
      className="h-6! w-auto! max-w-40 text-12! pointer-coarse:h-9!"
      data-testid="hello-project"
    >
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
  return (
    <HelloIn
      key={project.id}
      agent={agent}
      project={project}
      choice={choice}
      // One that comes to be known later may stand before it in the list.
      onStart={() => setChosen(project.id)}
    />
  );
}

interface HelloInProps {
  readonly agent: Agent;
  readonly project: Project;
  readonly choice: ReactNode;
  readonly onStart: () => void;
}

function HelloIn({ agent, project, choice, onStart }: HelloInProps) {
  const { t } = useTranslation();
  const { hello, session, isRunning, start } = useHello(project.id, agent);
  return (
    <Panel
      title={
        <>
          {t('hello.title')}
          {hello && <HelloTime hello={hello} />}
        </>
      }
      aside={
        <>
          {choice}
          <Button
            size="sm"
            icon="run"
            isBusy={isRunning}
            data-testid="hello-start"
            onClick={() => {
              onStart();
              void start();
            }}
          >
            {t(isRunning ? 'hello.running' : hello ? 'hello.again' : 'hello.start')}
          </Button>
        </>
      }
    >
      <div data-testid="hello" data-over={hello !== undefined && !isRunning}>
        {hello ? (
          <>
            <HelloSteps hello={hello} project={project} session={session} agent={agent} />
            <HelloEnd hello={hello} agent={agent} projectId={project.id} />
          </>
        ) : (
          <p className="px-3 py-3 text-13 text-pretty wrap-anywhere text-ink-2">
            {t('hello.intro', { project: project.name })}
          </p>
        )}
      </div>
    </Panel>
  );
}

function HelloTime({ hello }: { readonly hello: Hello }) {
  const { i18n } = useTranslation();
  const stopwatchText = useStopwatchText();
  const ms = totalMs(hello);
  const at = clockTime(new Date(hello.startedAt), i18n.language);
  return (
    <span className="num ml-2 text-12 font-normal text-ink-3">
      {ms === undefined ? at : `${at} · ${stopwatchText(ms)}`}
    </span>
  );
}
