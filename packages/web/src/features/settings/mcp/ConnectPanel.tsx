import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, Select } from '../../../components/Field.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { agentsQuery, projectsQuery } from '../../../lib/queries/queries.ts';
import { CodeToCopy } from '../CodeToCopy.tsx';
import { authenticateScript, claudeLine, mcpJson } from './connect.ts';

/** How to connect a Claude Code as one of the agents, in three steps. */
export function ConnectPanel({ url }: { readonly url: string }) {
  const { t } = useTranslation();
  const { data: agents = [] } = useQuery(agentsQuery());
  const { data: projects = [] } = useQuery(projectsQuery());
  const [chosenAgentId, setAgentId] = useState<string>();
  const [chosenProjectId, setProjectId] = useState<string>();
  const ai = agents.filter((agent) => agent.type === 'ai');
  const agentId = chosenAgentId ?? ai[0]?.id ?? 'agt_…';
  const projectId = chosenProjectId ?? projects[0]?.id ?? 'prj_…';
  return (
    <Panel
      title={t('settings.connect')}
      aside={<span className="text-12 text-ink-3">{t('settings.connectAside')}</span>}
    >
      <ol className="flex flex-col gap-5 p-4">
        <Step number={1} text={t('settings.step1')}>
          <div className="grid gap-3 sm:grid-cols-2">
            <ChoiceField label={t('settings.agent')} choices={ai} value={agentId} onChange={setAgentId} />
            <ChoiceField
              label={t('settings.project')}
              choices={projects}
              value={projectId}
              onChange={setProjectId}
            />
          </div>
          <p className="text-12 text-ink-2">
            {t('settings.step1Passkey')}{' '}
            <Link to="/agents/$agentId" params={{ agentId }} className="text-accent-ink underline">
              {t('settings.step1Link')}
            </Link>
          </p>
        </Step>
        <Step number={2} text={t('settings.step2')}>
          <CodeToCopy
            code={authenticateScript({ url, agentId, projectId })}
            label={t('settings.step2Label')}
            testId="mcp-authenticate"
          />
        </Step>
        <Step number={3} text={t('settings.step3')}>
          <CodeToCopy
            code={claudeLine(url, t('settings.prompt'))}
            label={t('settings.step3Label')}
            testId="mcp-line"
          />
          <details>
            <summary className="cursor-pointer text-12 text-ink-2">{t('settings.asFile')}</summary>
            <div className="mt-2">
              <CodeToCopy code={mcpJson(url)} label={t('settings.asFile')} testId="mcp-json" />
            </div>
          </details>
        </Step>
      </ol>
    </Panel>
  );
}

interface ChoiceFieldProps {
  readonly label: string;
  readonly choices: readonly { readonly id: string; readonly name: string }[];
  readonly value: string;
  readonly onChange: (id: string) => void;
}

function ChoiceField({ label, choices, value, onChange }: ChoiceFieldProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
          {choices.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

interface StepProps {
  readonly number: number;
  readonly text: string;
  readonly children: ReactNode;
}

function Step({ number, text, children }: StepProps) {
  return (
    <li className="grid grid-cols-[20px_minmax(0,1fr)] gap-x-3">
      <span
        aria-hidden="true"
        className="num flex size-5 items-center justify-center rounded-full border border-line-strong text-11 text-ink-2"
      >
        {number}
      </span>
      <div className="flex min-w-0 flex-col gap-2">
        <p className="text-13">{text}</p>
        {children}
      </div>
    </li>
  );
}
