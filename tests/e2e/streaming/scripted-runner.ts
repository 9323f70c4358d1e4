/**
 * The agent runner with a driver whose turns a test writes: each message is a script (turn-script.ts). The driver
 * logs its actions to `events.log` in its control folder, the only argument. The agent has provider `command`, so the
 * ticket is in the environment.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  Driver,
  DriverSession,
  SessionOptions,
  Turn,
} from '../../../packages/agent-runner/src/driver.ts';
import { runAgent } from '../../../packages/agent-runner/src/run-agent.ts';
import type { TurnEvent } from '../../../packages/agent-runner/src/turn-events.ts';
import { untilFile } from '../../fixtures/control-file.ts';
import { type ScriptStep, turnScript } from './turn-script.ts';

const [, , control = '.'] = process.argv;
// The runner stores resume tokens below HOME, and the agents' account may have no home.
process.env.HOME = control;

function note(event: string): void {
  appendFileSync(join(control, 'events.log'), `${event}\n`);
}

class ScriptedSession implements DriverSession {
  readonly concurrentTurns = false;

  async *run(turn: Turn): AsyncGenerator<TurnEvent> {
    const [message] = turn.messages;
    note(message?.redelivered ? 'turn redelivered' : 'turn');
    for (const step of turnScript.parse(JSON.parse(message?.content ?? '[]'))) {
      const text = await play(step, turn);
      if (turn.signal.aborted) {
        note('interrupted');
        yield { type: 'end', reason: 'interrupted' };
        return;
      }
      if (text !== undefined) yield { type: 'text', text };
    }
    yield { type: 'end', reason: 'done' };
  }

  async close(): Promise<void> {
    note('closed');
  }
}

/** The text that the step returns, if there is one. */
async function play(step: ScriptStep, turn: Turn): Promise<string | undefined> {
  const interrupted = new Promise<void>((resolve) =>
    turn.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  switch (step.do) {
    case 'text':
      return step.text;
    case 'wait':
      await Promise.race([untilFile(control, step.file, true), interrupted]);
      return undefined;
    case 'ask': {
      const options = step.options.map((label) => ({ label, description: '' }));
      const { question } = step;
      const { status, answers } = await turn.ask([
        { question, header: 'Choice', options, multiSelect: false },
      ]);
      return `${status}: ${answers[question]}`;
    }
  }
}

const driver: Driver = {
  async open({ resume, remember }: SessionOptions) {
    note(`open ${process.pid} resume ${resume ?? 'nothing'}`);
    await remember(`session of ${process.pid}`);
    return new ScriptedSession();
  },
};

const {
  AIZUCHI_PASSKEY: ticket = '',
  AIZUCHI_RUN_ID: runId = '',
  AIZUCHI_AGENT_ID: agentId = '',
  AIZUCHI_PROJECT_ID: projectId = '',
  AIZUCHI_MCP_URL: mcpUrl,
} = process.env;
await runAgent({
  mcpUrl,
  readLaunch: async () => ({ ticket, runId, agentId, projectId, purpose: 'chat', provider: 'command' }),
  loadDriver: async () => driver,
});
