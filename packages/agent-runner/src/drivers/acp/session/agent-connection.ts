import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';
import type { SessionOptions } from '../../../driver.ts';
import { type PromptEnd, promptEndSchema } from '../agent-messages.ts';
import { agentOfProgram, type KnownAgent } from '../known-agents.ts';
import { AgentPeer } from '../process/agent-peer.ts';
import { Requests, type TurnRequests } from '../process/requests.ts';
import { TOKEN_VARIABLE } from './mcp-server.ts';
import { type OpenedSession, openSession, type SavedSession, savedSession } from './open-session.ts';
import { instructionsFor } from './prompt.ts';
import { currentModel, modelsOf, setMode, setModel } from './session-settings.ts';

/** Where the agent program runs, and as what. */
export interface AcpHost {
  /** The absolute path of the executable. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The agent's own when it is absent. */
  readonly model?: string;
  /** For a program that wants its key in a variable. */
  readonly apiKey?: string;
  readonly limits: AcpLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** All in milliseconds. */
export interface AcpLimits {
  /** For each request of the start. */
  readonly startMs: number;
  /** Until a loaded session begins to repeat its messages; one in which nothing was said repeats nothing. */
  readonly replayBeginsMs: number;
  /** For what a loaded session repeats. */
  readonly replayMs: number;
  /**
   * A turn without a sign of the agent: when the person is told, and when it is ended. Every message of the program is a
   * sign (a thought, a piece of text, a count of tokens); while a tool works or a person is asked, no time counts.
   */
  readonly quietMs: number;
  readonly silentMs: number;
  /** How long the agent may take to end a turn that was cancelled for its silence. */
  readonly cancelMs: number;
}

export const LIMITS: AcpLimits = {
  startMs: 60_000,
  replayBeginsMs: 2_000,
  replayMs: 60_000,
  quietMs: 30_000,
  silentMs: 60_000,
  cancelMs: 5_000,
};

/** A session counts as replayed when nothing has come for this time. */
const REPLAY_QUIET_MS = 250;

/** One process of the agent with its session. */
export class AgentConnection {
  readonly #peer: AgentPeer;
  readonly #requests: Requests;
  readonly #opened: OpenedSession;
  /** The modes of an agent that may not ask before it acts; undefined: it is in a mode in which it does. */
  readonly unknownModes: readonly string[] | undefined;

  private constructor(
    peer: AgentPeer,
    requests: Requests,
    opened: OpenedSession,
    unknownModes: readonly string[] | undefined,
  ) {
    this.#peer = peer;
    this.#requests = requests;
    this.#opened = opened;
    this.unknownModes = unknownModes;
  }

  /** Starts the program and opens its session. Throws AcpFailure; then nothing of the program is left. */
  static async open(
    host: AcpHost,
    session: SessionOptions,
    resume: string | undefined,
  ): Promise<AgentConnection> {
    const requests = new Requests();
    const peer = await startAsNamed(agentOfProgram(host), (known) =>
      AgentPeer.start({
        known,
        requests,
        startLimitMs: host.limits.startMs,
        program: {
          ...host,
          env: environmentFor(known, host, session),
          log: session.log,
          hide: session.hide,
          chatter: known.chatter,
        },
      }),
    );
    try {
      const command = [host.file, ...host.args].join(' ');
      const opened = await openSession(peer, savedSession(resume, command), {
        session,
        requests,
        command,
        cwd: host.cwd,
        now: host.now,
        instructions: instructionsFor(session),
      });
      const { saved, state, isResumed } = opened;
      session.reportModels(modelsOf(state));
      const unknownModes = await setMode(peer, saved.sessionId, state, session);
      if (host.model !== undefined) await setModel(peer, saved.sessionId, state, host.model);
      if (isResumed && peer.known.replaysLate) await untilQuiet(requests, host.limits);
      return new AgentConnection(peer, requests, opened, unknownModes);
    } catch (error) {
      await peer.stop();
      throw error;
    }
  }

  get known(): KnownAgent {
    return this.#peer.known;
  }

  /** It takes pictures in a prompt. */
  get sees(): boolean {
    return this.#peer.capabilities.promptCapabilities?.image === true;
  }

  get isAlive(): boolean {
    return this.#peer.isAlive;
  }

  get isResumed(): boolean {
    return this.#opened.isResumed;
  }

  /** To be given to `open`, for a connection that goes on where this one is. */
  get resumeToken(): string {
    const saved: SavedSession = this.#opened.saved;
    return JSON.stringify(saved);
  }

  /** As far as the agent says it. */
  get model(): string | undefined {
    return currentModel(this.#opened.state);
  }

  /** What the agent sends from now on belongs to this turn. */
  begin(turn: TurnRequests): void {
    this.#requests.begin(turn);
  }

  end(turn: TurnRequests): void {
    this.#requests.end(turn);
  }

  /** Resolves at the end of the agent's turn. Rejects with AcpFailure. */
  prompt(blocks: ContentBlock[]): Promise<PromptEnd> {
    const { sessionId } = this.#opened.saved;
    return this.#peer.request(methods.agent.session.prompt, { sessionId, prompt: blocks }, promptEndSchema);
  }

  async cancel(): Promise<void> {
    await this.#peer.notify(methods.agent.session.cancel, { sessionId: this.#opened.saved.sessionId });
  }

  close(): Promise<void> {
    return this.#peer.stop();
  }
}

/**
 * A program whose command does not tell what it is names itself when it runs. Then it is started again, because only now
 * is known what its environment has to hold: its key, our token, what keeps it from further requests to its model.
 */
async function startAsNamed(
  first: KnownAgent,
  start: (known: KnownAgent) => Promise<AgentPeer>,
): Promise<AgentPeer> {
  const peer = await start(first);
  if (peer.known === first) return peer;
  await peer.stop();
  return start(peer.known);
}

function environmentFor(known: KnownAgent, { env, apiKey }: AcpHost, { mcp }: SessionOptions) {
  return {
    ...known.defaults,
    ...env,
    ...known.env,
    ...(known.keyVariable && apiKey !== undefined && { [known.keyVariable]: apiKey }),
    ...(known.fillsInHeaders && { [TOKEN_VARIABLE]: mcp.token }),
  };
}

/** What is replayed may come after the answer; it must not be taken for a part of the next turn. */
async function untilQuiet(requests: Requests, { replayBeginsMs, replayMs }: AcpLimits): Promise<void> {
  const loadedAt = performance.now();
  for (;;) {
    // What came while this process was held up is read first.
    await nextRound();
    const now = performance.now();
    const quiet = now - Math.max(loadedAt, requests.updatedAt);
    const hasBegun = requests.hasReplayed || now - loadedAt >= replayBeginsMs;
    // A program that reports something all the time is never quiet.
    if ((hasBegun && quiet >= REPLAY_QUIET_MS) || now - loadedAt >= replayMs) return;
    await delay(quiet < REPLAY_QUIET_MS ? REPLAY_QUIET_MS - quiet : REPLAY_QUIET_MS);
  }
}
