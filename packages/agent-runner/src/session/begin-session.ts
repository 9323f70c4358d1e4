import type { ToolOutput } from '@aizuchi/shared/contract/tools/tools';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import type { Driver, SessionOptions } from '../driver.ts';
import { Turns } from '../turn/turns.ts';
import type { ResumeStore } from './resume-store.ts';
import { SessionKeeper } from './session-keeper.ts';
import { Unreported } from './unreported.ts';

export interface AgentLoopOptions {
  readonly client: ToolClient;
  readonly driver: Driver;
  readonly agentId: string;
  readonly mcp: SessionOptions['mcp'];
  readonly resumeStore: ResumeStore;
  /** One line for the run's log. */
  readonly log: (sentence: string) => void;
  readonly holdSeconds?: number;
  /** How long a driver may take to end an interrupted turn. */
  readonly interruptLimitMs?: number;
  /** How long a driver may take to close its session. The Coordinator waits 5 s after SIGTERM. */
  readonly closeLimitMs?: number;
}

const INTERRUPT_LIMIT_MS = 5_000;
const CLOSE_LIMIT_MS = 3_000;

export interface BegunSession {
  readonly turns: Turns;
  /** Ends the turns and closes the driver's session, in a bounded time. */
  close(): Promise<void>;
}

/** The runner is signed in: opens the driver's session, and makes what its turns need. */
export function beginSession(options: AgentLoopOptions, signedIn: ToolOutput<'authenticate'>): BegunSession {
  const { client, driver, agentId, log } = options;
  const agentName = signedIn.agent_name ?? '';
  const sessions = new SessionKeeper({
    driver,
    log,
    closeLimitMs: options.closeLimitMs ?? CLOSE_LIMIT_MS,
    sessionOptions: () => sessionOptions(options, signedIn),
  });
  sessions.openEarly();
  const turns = new Turns({
    client,
    sessions,
    unreported: new Unreported(log),
    agentId,
    agentName,
    log,
    interruptLimitMs: options.interruptLimitMs ?? INTERRUPT_LIMIT_MS,
  });
  const close = async () => {
    await turns.stop();
    await sessions.close();
  };
  return { turns, close };
}

async function sessionOptions(
  { client, agentId, mcp, resumeStore, log }: AgentLoopOptions,
  { agent_name: agentName = '', system_prompt: systemPrompt }: ToolOutput<'authenticate'>,
): Promise<SessionOptions> {
  const resume = await resumeStore.read();
  return {
    agentId,
    agentName,
    mcp,
    log,
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(resume !== undefined && { resume }),
    tools: { call: (name, args) => client.callUntilAnswered(name, args) },
    remember: (token) =>
      resumeStore.write(token).catch((error: unknown) => log(`no resume token is stored: ${error}`)),
  };
}
