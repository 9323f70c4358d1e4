import type { SessionOptions } from '../../../driver.ts';
import { type AcpHost, AgentConnection } from './agent-connection.ts';

/** The program of a session, started again when it has ended, and what the present one has been told. */
export class KeptConnection {
  readonly #host: AcpHost;
  readonly #options: SessionOptions;
  #connection: Promise<AgentConnection> | undefined;
  #resume: string | undefined;
  /** The sessions so far: an earlier runner has told its session what it was. */
  #hasTold: boolean;
  #isInstructed = false;
  #lacksHistory = false;
  #isClosed = false;
  /** Of the agent's session so far; undefined after it was resumed, until the agent has said it. */
  costUsd: number | undefined;

  constructor(host: AcpHost, options: SessionOptions) {
    this.#host = host;
    this.#options = options;
    this.#resume = options.resume;
    this.#hasTold = options.resume !== undefined;
  }

  /** Whether the agent knows what it is and where. */
  get isInstructed(): boolean {
    return this.#isInstructed;
  }

  /** The agent was to go on with an earlier session and could not: it knows nothing of what was said. */
  get lacksHistory(): boolean {
    return this.#lacksHistory;
  }

  /** A prompt was heard, and has said what the agent did not know. */
  told(): void {
    this.#hasTold = true;
    this.#isInstructed = true;
    this.#lacksHistory = false;
  }

  /** The running program. Rejects with AcpFailure when it cannot be started; the next call tries again. */
  async open(): Promise<AgentConnection> {
    if (this.#isClosed) throw new Error('the session is closed');
    const connection = await this.#present();
    if (connection.isAlive) return connection;
    // It ended while nothing was asked of it.
    await this.#lose(connection);
    return this.#present();
  }

  /** After a turn. False: the program has ended in it. The next turn starts it anew, and it goes on where it can. */
  async check(connection: AgentConnection): Promise<boolean> {
    if (connection.isAlive) return true;
    await this.#lose(connection);
    return false;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }

  #present(): Promise<AgentConnection> {
    this.#connection ??= this.#start().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #start(): Promise<AgentConnection> {
    const connection = await AgentConnection.open(this.#host, this.#options, this.#resume);
    if (this.#isClosed) {
      await connection.close();
      throw new Error('the session is closed');
    }
    const { isResumed, known } = connection;
    this.#isInstructed = (isResumed && this.#hasTold) || known.meta !== undefined;
    // A session that died before it heard its first prompt still lacks it.
    this.#lacksHistory = isResumed ? this.#lacksHistory : this.#resume !== undefined;
    if (!isResumed) this.#hasTold = false;
    this.#resume = connection.resumeToken;
    if (!connection.isResumed) this.costUsd = 0;
    await this.#options.remember(this.#resume);
    return connection;
  }

  async #lose(connection: AgentConnection): Promise<void> {
    this.#connection = undefined;
    await connection.close();
  }
}
