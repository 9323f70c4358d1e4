import type { Agent } from '../../contract/agent.ts';
import type { Person } from '../access/person.ts';

/** Only owners see prompts, commands and credentials, and when they changed: others see the agent without them. */
export function agentView(person: Person, agent: Agent): Agent {
  if (person.accessLevel === 'owner') return agent;
  const {
    systemPrompt: _prompt,
    command: _command,
    baseUrl: _url,
    apiKeyEnv: _key,
    setUpAt: _at,
    ...rest
  } = agent;
  return rest;
}
