import { Writable } from 'node:stream';
import {
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import type { z } from 'zod';
import { within } from '../../../within.ts';
import { missingFolder } from '../../process/missing-folder.ts';
import { type Initialized, initializedSchema } from '../agent-messages.ts';
import { AcpFailure, answeredError, shortened } from '../failures.ts';
import { agentNamed, type KnownAgent } from '../known-agents.ts';
import { AgentProgram, type ProgramEnd, type ProgramOptions } from './agent-program.ts';
import { ProtocolReader } from './protocol-lines.ts';
import type { Requests } from './requests.ts';

export interface PeerOptions {
  readonly program: ProgramOptions;
  readonly known: KnownAgent;
  /** What the agent sends and asks by itself. */
  readonly requests: Requests;
  /** How long it may take to be initialised, and to open a session. */
  readonly startLimitMs: number;
}

/** The agent program as a peer of the protocol, initialised. A request that fails rejects with AcpFailure. */
export class AgentPeer {
  readonly #options: PeerOptions;
  readonly #program: AgentProgram;
  readonly #connection: ClientConnection;
  readonly #reader: ProtocolReader;
  #initialized: Initialized | undefined;
  #end: ProgramEnd | undefined;

  private constructor(options: PeerOptions) {
    this.#options = options;
    this.#program = new AgentProgram(options.program);
    this.#reader = new ProtocolReader(options.program);
    this.#connection = this.#connect();
    // A process that it has left behind may hold its stdout open.
    void this.#program.ended.then((end) => {
      this.#end = end;
      this.#connection.close();
    });
  }

  /** Starts the program and initialises it. Throws AcpFailure; then nothing of the program is left. */
  static async start(options: PeerOptions): Promise<AgentPeer> {
    const peer = new AgentPeer(options);
    try {
      await peer.#initialize();
      return peer;
    } catch (error) {
      await peer.stop();
      throw error;
    }
  }

  get known(): KnownAgent {
    return agentNamed(this.#initialized?.agentInfo?.name, this.#options.known);
  }

  get capabilities(): NonNullable<Initialized['agentCapabilities']> {
    return this.#initialized?.agentCapabilities ?? {};
  }

  /** False when the program has ended, or cannot be understood any more. */
  get isAlive(): boolean {
    return !this.#connection.signal.aborted;
  }

  /** A request of the start: its time is limited. */
  async startRequest<S extends z.ZodType>(method: string, params: object, schema: S): Promise<z.infer<S>> {
    const { startLimitMs } = this.#options;
    const answer = this.request(method, params, schema);
    if (await within(startLimitMs, answer)) return answer;
    if (this.#initialized === undefined && this.#reader.lastRubbish !== '') throw this.#rubbishFailure();
    const seconds = Math.round(startLimitMs / 1_000);
    throw new AcpFailure(`no answer to ${method} for ${seconds} s`, (texts) =>
      texts.neverAnswered(this.known.title, seconds),
    );
  }

  async request<S extends z.ZodType>(method: string, params: object, schema: S): Promise<z.infer<S>> {
    let answer: unknown;
    try {
      answer = await this.#connection.agent.request(method, params);
    } catch (error) {
      throw await this.#failureOf(error);
    }
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    throw new AcpFailure(`the answer to ${method} is not of the protocol: ${parsed.error.message}`, (texts) =>
      texts.notTheProtocol(this.known.title, method),
    );
  }

  async notify(method: string, params: object): Promise<void> {
    // Of a program that has ended the open request tells.
    await this.#connection.agent.notify(method, params).catch(() => undefined);
  }

  /** What is open rejects at once. Resolves when the program has ended. */
  async stop(): Promise<void> {
    this.#connection.close();
    await this.#program.stop();
  }

  #connect(): ClientConnection {
    const { requests } = this.#options;
    const { stdin, stdout } = this.#program;
    const messages = ReadableStream.from(this.#reader.messages(stdout));
    // Updates come first: their handler is called at once, so that none of them comes after the end of its turn.
    return client({ name: 'aizuchi' })
      .onNotification(methods.client.session.update, ({ params }) => requests.update(params))
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) =>
        requests.permission(params, signal),
      )
      .onRequest(methods.client.elicitation.create, ({ params, signal }) =>
        requests.elicitation(params, signal),
      )
      .connect(ndJsonStream(Writable.toWeb(stdin), messages));
  }

  async #initialize(): Promise<void> {
    const initialized = await this.startRequest(
      methods.agent.initialize,
      {
        protocolVersion: PROTOCOL_VERSION,
        clientInfo: { name: 'aizuchi', title: 'Aizuchi', version: '0.1.0' },
        // Without `fs` and `terminal` an agent works on the disk itself, in its own working directory.
        clientCapabilities: { elicitation: { form: {} }, session: { notices: {}, compaction: {} } },
      },
      initializedSchema,
    );
    this.#initialized = initialized;
    const { protocolVersion: theirs } = initialized;
    if (theirs === PROTOCOL_VERSION) return;
    throw new AcpFailure(`the agent speaks version ${theirs} of the protocol`, (texts) =>
      texts.wrongVersion(this.known.title, theirs, PROTOCOL_VERSION),
    );
  }

  async #failureOf(error: unknown): Promise<unknown> {
    if (error instanceof RequestError) return answeredError(error, this.known, this.#options.program.hide);
    if (this.#reader.isFlooded) return this.#rubbishFailure();
    if (this.isAlive) return error;
    // The pipe of a program that dies is closed before its end is known.
    await within(END_KNOWN_MS, this.#program.ended);
    const { how = 'stdout closed', said = '' } = this.#end ?? {};
    return this.#endedFailure({ how, said: shortened(said || this.#reader.lastRubbish) });
  }

  #rubbishFailure(): AcpFailure {
    const { title } = this.known;
    return new AcpFailure('the program writes other text to stdout', (texts) => texts.rubbish(title));
  }

  #endedFailure({ how, said }: ProgramEnd): AcpFailure {
    const { title } = this.known;
    const { file, cwd } = this.#options.program;
    const missing = how === 'ENOENT' ? missingFolder(cwd) : undefined;
    if (missing) return new AcpFailure(missing.message, (texts) => texts.noFolder(cwd));
    if (how === 'ENOENT') return new AcpFailure(`${file} does not exist`, (texts) => texts.missing(file));
    if (how === 'EACCES')
      return new AcpFailure(`${file} cannot be executed`, (texts) => texts.notExecutable(file));
    const isStarted = this.#initialized !== undefined;
    return new AcpFailure(`the program ended (${how})${said && `: ${said}`}`, (texts) =>
      isStarted ? texts.died(title, how, said) : texts.endedAtStart(title, how, said),
    );
  }
}

const END_KNOWN_MS = 1_000;
