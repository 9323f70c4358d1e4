import { APPROVAL_LIMITS } from '@aizuchi/shared/contract/approval';
import type { ToolOutput } from '@aizuchi/shared/contract/tools/tools';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import type { Driver, SessionOptions } from '../driver.ts';
import { TaskWork } from '../task/task-work.ts';
import { EarlyOutcomes } from '../turn/early-outcomes.ts';
import type { StreamHiding } from '../turn/hidden-stream.ts';
import { Slots } from '../turn/slots.ts';
import type { TurnContext } from '../turn/turn-context.ts';
import { toTurnUsage } from '../turn/turn-usage.ts';
import { Turns } from '../turn/turns.ts';
import { modelReporter } from './report-models.ts';
import type { ResumeStore } from './resume-store.ts';
import { SessionKeeper } from './session-keeper.ts';
import { Unreported } from './unreported.ts';

export interface AgentLoopOptions extends StreamHiding {
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
  /**
   * How long the loop waits for what a driver tells of a conversation that is over. The server takes a runner that it
   * has not heard for 45 s for stalled.
   */
  readonly overWaitMs?: number;
  /** How long a driver may take to close its session. The Coordinator waits 5 s after SIGTERM. */
  readonly closeLimitMs?: number;
}

const INTERRUPT_LIMIT_MS = 5_000;
const OVER_WAIT_MS = 5_000;
const CLOSE_LIMIT_MS = 2_000;

export interface BegunSession {
  readonly turns: Turns;
  readonly taskWork: TaskWork;
  /** Ends the turns and closes the driver's session, in a bounded time. */
  close(): Promise<void>;
}

/** The runner is signed in: opens the driver's session, and makes what its turns need. */
export function beginSession(options: AgentLoopOptions, signedIn: ToolOutput<'authenticate'>): BegunSession {
  const { client, driver, agentId, log, hide, begunSecret } = options;
  const agentName = signedIn.agent_name ?? '';
  const unreported = new Unreported(client, log);
  const reportModels = modelReporter(client, log);
  const sessions = new SessionKeeper({
    driver,
    log,
    closeLimitMs: options.closeLimitMs ?? CLOSE_LIMIT_MS,
    sessionOptions: () => sessionOptions(options, signedIn, { unreported, reportModels }),
  });
  sessions.openEarly();
  const context: TurnContext = {
    client,
    sessions,
    unreported,
    earlyOutcomes: new EarlyOutcomes(),
    approvalSlots: new Slots(APPROVAL_LIMITS.open),
    agentId,
    agentName,
    log,
    hide,
    begunSecret,
    interruptLimitMs: options.interruptLimitMs ?? INTERRUPT_LIMIT_MS,
    overWaitMs: options.overWaitMs ?? OVER_WAIT_MS,
  };
  const turns = new Turns(context);
  const taskWork = new TaskWork(context);
  const close = async () => {
    await Promise.all([turns.stop(), taskWork.interrupt(CLOSE_LIMIT_MS)]);
    await sessions.close();
  };
  return { turns, taskWork, close };
}

interface Reports extends Pick<SessionOptions, 'reportModels'> {
  readonly unreported: Unreported;
}

async function sessionOptions(
  { client, agentId, mcp, resumeStore, log, hide }: AgentLoopOptions,
  signedIn: ToolOutput<'authenticate'>,
  { unreported, reportModels }: Reports,
): Promise<SessionOptions> {
  const { agent_name: agentName = '', system_prompt: systemPrompt } = signedIn;
  const { context_since: contextSince = '' } = signedIn;
  const resume = await resumeStore.read(contextSince);
  return {
    agentId,
    agentName,
    mcp,
    log,
    hide,
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(resume !== undefined && { resume }),
    tools: { call: (name, args) => client.callUntilAnswered(name, args) },
    remember: (token) =>
      resumeStore
        .write(contextSince, token)
        .catch((error: unknown) => log(`no resume token is stored: ${error}`)),
    reportModels,
    reportUsage: (usage) => unreported.usage(toTurnUsage(usage, 0)),
  };
}
