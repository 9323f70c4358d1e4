import { ReceiptBook } from '@aizuchi/shared/mcp-client/receipt-book';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { AgentLoop, RUNNER_EXIT } from './agent-loop.ts';
import type { Driver } from './driver.ts';
import { type Launch, LaunchError } from './launch.ts';
import { ResumeStore } from './session/resume-store.ts';

export interface AgentProcess {
  readonly provider: string;
  /** Both throw LaunchError when this process cannot start. */
  readonly makeDriver: () => Driver;
  readonly readLaunch: () => Promise<Launch>;
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

async function live({ provider, makeDriver, readLaunch }: AgentProcess): Promise<number> {
  const driver = makeDriver();
  const launch = await readLaunch();
  const { mcpUrl: url, ticket: token, agentId, projectId, purpose } = launch;
  // What the model remembers of the chat is nothing that a task goes on with.
  const home = purpose === 'chat' ? process.env.HOME : undefined;
  const loop = new AgentLoop({
    client: new ToolClient({
      url,
      token,
      name: 'aizuchi-agent-runner',
      version: '0.1.0',
      receipts: new ReceiptBook(),
    }),
    driver,
    agentId,
    mcp: { url, token },
    resumeStore: new ResumeStore(home, { provider, projectId, agentId }),
    log,
  });
  // The driver ends what it has started; then the process ends by the signal, as it does without this handler.
  process.once('SIGTERM', () => void loop.close().finally(() => process.kill(process.pid, 'SIGTERM')));
  return loop.run();
}

/** stderr is the run's log, where a person looks when an agent fails. */
function log(sentence: string): void {
  process.stderr.write(`${new Date().toISOString()} ${sentence}\n`);
}
