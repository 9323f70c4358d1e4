import type { Launch } from '@aizuchi/shared/contract/launch';
import { ReceiptBook } from '@aizuchi/shared/mcp-client/receipt-book';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { begunSecretOf, hiderOf, secretsIn } from '@aizuchi/shared/platform/secret-values';
import { AgentLoop, RUNNER_EXIT } from './agent-loop.ts';
import type { Driver } from './driver.ts';
import { LaunchError } from './launch.ts';
import { ResumeStore } from './session/resume-store.ts';

export interface AgentProcess {
  /** Both reject with LaunchError when this process cannot start. */
  readonly readLaunch: () => Promise<Launch>;
  readonly loadDriver: (launch: Launch) => Promise<Driver>;
  readonly mcpUrl: string | undefined;
}

/** The whole life of an agent's process. Ends it. */
export async function runAgent(agent: AgentProcess): Promise<never> {
  try {
    process.exit(await live(agent));
  } catch (error) {
    if (error instanceof LaunchError) log(error.message);
    else log(`failed: ${error instanceof Error ? error.stack : error}`);
    process.exit(error instanceof LaunchError ? RUNNER_EXIT.launch : RUNNER_EXIT.failed);
  }
}

async function live({ readLaunch, loadDriver, mcpUrl: url }: AgentProcess): Promise<number> {
  if (!url) throw new LaunchError('AIZUCHI_MCP_URL is not set: this program is started by a Coordinator.');
  const client = new ToolClient({
    url,
    name: 'aizuchi-agent-runner',
    version: '0.1.0',
    receipts: new ReceiptBook(),
  });
  // Without a token: a runner may wait for its launch. When the server is away, the first call tries again.
  void client.connect().catch(() => undefined);
  const launch = await readLaunch();
  const { ticket: token, agentId, projectId, purpose, provider, workingDirectory, env } = launch;
  // Before the driver is made: it gives them to the program.
  Object.assign(process.env, env);
  if (!token) throw new LaunchError('There is no launch ticket: this agent has no credential.');
  client.useToken(token);
  if (workingDirectory !== undefined) enter(workingDirectory);
  const driver = await loadDriver(launch);
  // What the model remembers of the chat is nothing that a task goes on with.
  const home = purpose === 'chat' ? process.env.HOME : undefined;
  // What the agent runs inherits its environment, and may print it.
  const secrets = [token, launch.apiKey, ...secretsIn(process.env)];
  const loop = new AgentLoop({
    client,
    driver,
    agentId,
    mcp: { url, token },
    resumeStore: new ResumeStore(home, { provider, projectId, agentId }),
    hide: hiderOf(secrets),
    begunSecret: begunSecretOf(secrets),
    log,
  });
  // The driver ends what it has started; then the process ends by the signal, as it does without this handler.
  process.once('SIGTERM', () => void loop.close().finally(() => process.kill(process.pid, 'SIGTERM')));
  return loop.run();
}

/** It is there already, unless it was started as a spare. Its account may not be able to enter the folder. */
function enter(folder: string): void {
  try {
    if (process.cwd() !== folder) process.chdir(folder);
  } catch (error) {
    log(`not in the working directory: ${error}`);
  }
}

/** stderr is the run's log, where a person looks when an agent fails. */
function log(sentence: string): void {
  process.stderr.write(`${new Date().toISOString()} ${sentence}\n`);
}
