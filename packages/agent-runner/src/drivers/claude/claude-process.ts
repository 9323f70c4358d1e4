import {
  type ModelInfo,
  type SDKControlInterruptResponse,
  type SDKUserMessage,
  startup,
} from '@anthropic-ai/claude-agent-sdk/core';
import type { Picture, SessionOptions } from '../../driver.ts';
import type { FoundModel } from '../../session/report-models.ts';
import { AsyncQueue } from './async-queue.ts';
import { ClaudeChild, type SpawnOrder } from './claude-child.ts';
import { type ClaudeMessage, parseClaudeMessage } from './claude-message.ts';
import type { Permissions } from './permissions.ts';
import { policyOptions } from './policy-options.ts';
import { type ClaudeHost, queryOptions } from './query-options.ts';

/** The types of the library do not declare what it does. */
interface RunningQuery extends AsyncIterable<unknown> {
  interrupt(options?: { cancelQueued?: boolean }): Promise<SDKControlInterruptResponse | undefined>;
  /** From the answer to its start: asks nothing of a model. */
  supportedModels(): Promise<ModelInfo[]>;
  close(): void;
}

export interface StartOptions {
  readonly host: ClaudeHost;
  readonly session: SessionOptions;
  readonly permissions: Permissions;
  /** The session of Claude Code to go on with. */
  readonly resume?: string | undefined;
}

/** One message of ours to the model. */
export interface Said {
  readonly text: string;
  /** It may be a command of Claude Code, such as /compact. */
  readonly isCommand: boolean;
  readonly pictures?: readonly Picture[];
  readonly uuid: NonNullable<SDKUserMessage['uuid']>;
}

/**
 * How long a turn that an earlier process left may go on before somebody waits for it: the message that it answers is
 * given again at once, unless a person has stopped the run.
 */
export const UNCLAIMED_MS = 3_000;

/** How long the program may take until it is ready: a busy machine, hooks of the user. */
export const START_LIMIT_MS = 60_000;

const DEFAULT_MODEL = 'default';

/** One process of Claude Code with its session. */
export class ClaudeProcess {
  /** What it reports, in order. Ends with the process. */
  readonly messages = new AsyncQueue<ClaudeMessage>();
  readonly #input = new AsyncQueue<SDKUserMessage>();
  readonly #query: RunningQuery;
  readonly #child: ClaudeChild;
  /** Turns of earlier processes that were interrupted. */
  readonly #interrupted = new Set<string>();
  #isOver = false;
  #isClaimed = false;

  private constructor(query: (input: AsyncIterable<SDKUserMessage>) => RunningQuery, child: ClaudeChild) {
    this.#query = query(this.#input);
    this.#child = child;
    void this.#read();
  }

  /** Rejects when the program is not ready in time, cannot be executed, or does not know the session to resume. */
  static async start({ host, session, permissions, resume }: StartOptions): Promise<ClaudeProcess> {
    let child: ClaudeChild | undefined;
    const options = {
      ...queryOptions(host, session, resume),
      ...(await policyOptions(host, permissions)),
      spawnClaudeCodeProcess: (order: SpawnOrder) => {
        child = new ClaudeChild(order, session);
        return child.process;
      },
    };
    try {
      const warm = await startup({ options, initializeTimeoutMs: START_LIMIT_MS });
      if (!child) throw new Error('nothing was started');
      return new ClaudeProcess((input) => warm.query(input), child);
    } catch (error) {
      await child?.stop();
      throw child?.explain(error) ?? error;
    }
  }

  /** A message whose id the session knows already is not taken a second time. */
  push({ text, isCommand, pictures = [], uuid }: Said): void {
    this.#isClaimed = true;
    this.#input.push({
      type: 'user',
      parent_tool_use_id: null,
      message: { role: 'user', content: pictures.length === 0 ? text : seen(text, pictures) },
      uuid,
      // What a message quotes is no command of this session.
      ...(text.trimStart().startsWith('/') && !isCommand && { client_composed: true }),
    });
  }

  /** Ends the turn that runs; `withWaiting`: and what waits behind it. */
  async interrupt({ withWaiting }: { withWaiting: boolean }): Promise<void> {
    await this.#query.interrupt({ cancelQueued: withWaiting });
  }

  /** Whether this turn of an earlier process was interrupted already: a second time could meet the next turn. */
  isInterrupted(uuid: string): boolean {
    return this.#interrupted.has(uuid);
  }

  /** Whether the end of this turn is among the messages that nobody has read yet. */
  hasEnded(uuid: string): boolean {
    return this.messages.has(
      (one) =>
        one.type === 'command_lifecycle' &&
        one.command_uuid === uuid &&
        one.state !== 'queued' &&
        one.state !== 'started',
    );
  }

  /** Without the entry for "the default", which is no name. Rejects when the process has ended. */
  async models(): Promise<FoundModel[]> {
    const models = await this.#query.supportedModels();
    return models
      .filter(({ value }) => value !== DEFAULT_MODEL)
      .map(({ value: id, displayName: name, description: about }) => ({ id, name, about }));
  }

  /** How the process ended, for a person; undefined while it lives. */
  get end(): string | undefined {
    return this.#isOver ? this.#child.end : undefined;
  }

  async close(): Promise<void> {
    this.#input.end();
    await this.#child.stop();
    this.#query.close();
  }

  async #read(): Promise<void> {
    try {
      for await (const message of this.#query) this.#take(parseClaudeMessage(message));
    } catch {
      // The iteration throws when the process dies, and when the last turn before its end had failed. The exit says it.
    }
    // Without its output it is of no use.
    await this.#child.awaitEnd();
    this.#isOver = true;
    this.messages.end();
  }

  #take(message: ClaudeMessage): void {
    this.messages.push(message);
    if (this.#isClaimed || message.type !== 'command_lifecycle' || message.state !== 'started') return;
    const { command_uuid: uuid } = message;
    const timer = setTimeout(() => {
      // It costs, and may change files. Whoever reads the messages decides from then on.
      if (this.#isClaimed || this.#isOver || this.hasEnded(uuid)) return;
      this.#interrupted.add(uuid);
      this.interrupt({ withWaiting: true }).catch(() => this.#interrupted.delete(uuid));
    }, UNCLAIMED_MS);
    timer.unref();
  }
}

/** The types of pictures that Claude takes. */
const SEEN = ['image/png', 'image/jpeg', 'image/webp'] as const;

function seen(
  text: string,
  pictures: readonly Picture[],
): Exclude<SDKUserMessage['message']['content'], string> {
  return [
    { type: 'text', text },
    ...pictures.flatMap(({ mediaType, data }) => {
      const media_type = SEEN.find((type) => type === mediaType);
      return media_type
        ? [{ type: 'image' as const, source: { type: 'base64' as const, media_type, data } }]
        : [];
    }),
  ];
}
