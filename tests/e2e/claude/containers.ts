import { approvalPageSchema } from '@aizuchi/shared/contract/approval';
import { runPageSchema } from '@aizuchi/shared/contract/run';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RUN_LABEL } from '../../../packages/coordinator/src/executor/docker/box.ts';
import {
  type DockerWorld,
  dockerWorld,
  settingsOfProduct,
} from '../../../packages/coordinator/test/docker-world.ts';
import {
  type FakeAnthropic,
  lastResults,
  playing,
  resultText,
  startFakeAnthropic,
} from '../../fixtures/fake-anthropic.ts';
import { KillWorld } from '../kill/kill-support.ts';
import { until } from '../start/product-process.ts';

/** What `docker build --target runner-claude` makes. */
const IMAGE = 'aizuchi-runner-claude';
const KEY = 'sk-fake-1234567890';
const containersSchema = z.array(z.object({ Id: z.string() }));
const LOOK =
  'id -u; printenv ANTHROPIC_API_KEY; touch /opt/mine || echo read-only; echo here > made.txt; cat made.txt';

/** Agents of provider claude in containers of a real engine. Where there is none, why it is left out. */
export async function testClaudeInContainers(): Promise<string | undefined> {
  const docker = await dockerWorld();
  if (typeof docker === 'string') return docker;
  if (!docker.isLocal) return 'the engine is on another host, whose containers do not reach this one';
  const found = await docker.engine
    .call({ method: 'GET', path: `/images/${IMAGE}/json` })
    .catch(() => undefined);
  if (found === undefined) return `no image ${IMAGE}`;
  describe('Claude Code in a container', () => testClaude(docker));
  return undefined;
}

function testClaude(docker: DockerWorld): void {
  const { engine } = docker;
  let model: FakeAnthropic;
  let world: KillWorld;
  beforeAll(async () => {
    const settings = await settingsOfProduct(docker);
    const script = playing({
      'Look around': [
        { tool: 'Bash', input: { command: LOOK } },
        (request) => ({ text: `It said: ${lastResults(request).map(resultText).join()}` }),
      ],
    });
    model = await startFakeAnthropic(script, settings.AIZUCHI_HOST);
    world = await KillWorld.start({
      ...settings,
      AIZUCHI_DOCKER_IMAGE: IMAGE,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: KEY,
    });
  });
  afterAll(async () => {
    expect(await world.product.stop()).toBe(true);
    await model.close();
  });

  it('it answers, asks before a command, works in the folder, and its key is in no configuration', async () => {
    const agent = await world.makeAgent('boxed_claude', { provider: 'claude' });
    const { projectId, agentId } = agent;
    await world.open(agent);
    await world.answered(agent, (await world.write(agent, 'Hello', 'm1')).id);
    const { runs } = runPageSchema.parse(await world.call('GET', `/projects/${projectId}/runs`));
    expect(runs).toEqual([expect.objectContaining({ executor: 'docker', image: IMAGE, state: 'running' })]);
    const filters = JSON.stringify({ label: [`${RUN_LABEL}=${runs[0]?.id}`] });
    const path = '/containers/json';
    const [container] = containersSchema.parse(
      await engine.call({ method: 'GET', path, query: { filters } }),
    );
    const shown = await engine.call({ method: 'GET', path: `/containers/${container?.Id}/json` });
    expect(JSON.stringify(shown)).not.toContain(KEY);

    const { id } = await world.write(agent, 'Look around', 'm2');
    let asked: string | undefined;
    await until(async () => {
      const open = await world.call('GET', `/projects/${projectId}/approvals?status=pending`);
      asked = approvalPageSchema.parse(open).approvals[0]?.id;
      return asked !== undefined;
    });
    await world.call('POST', `/approvals/${asked}`, { decision: 'allow_once' });
    await world.answered(agent, id);
    const answer = (await world.messages(agent)).findLast(({ sender }) => sender === 'agent')?.content;
    expect(answer).toMatch(/^It said: [1-9]\d*\n/);
    expect(answer).toMatch(/\nread-only\nhere$/);
    // It is given to the program, and hidden in what the program says.
    expect(answer).toContain('[hidden]');
    expect(answer).not.toContain(KEY);

    await world.call('POST', `/projects/${projectId}/agents/${agentId}/chat/end`, { force: true });
    await until(async () => {
      const left = await engine.call({ method: 'GET', path, query: { all: '1', filters } });
      return JSON.stringify(left) === '[]';
    });
  });
}
