import { setTimeout as delay } from 'node:timers/promises';
import type { PostTurnBody, TurnFrame } from '../../contract/turn.ts';
import { keys } from '../../platform/change-log/keys.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { LanguageModel } from '../../platform/models/model-ports.ts';
import type { SilenceLimits } from '../../platform/models/watchdog.ts';
import type { Person } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import { storeEvents } from '../memory/memory-store.ts';
import type { Memory } from '../memory/recall.ts';
import { endDeadTurn, endDeadTurnOf } from './end-turn.ts';
import { vadAt } from './mood-now.ts';
import { localTime, timeContext } from './rules/time-context.ts';
import { errorFrame, LEASE_MS, lastFrame, type Question, RunningTurn, SILENCE } from './running-turn.ts';
import { instructionsOf, type LongMood, type Speaker } from './turn-blocks.ts';
import { imagesOf } from './turn-images.ts';
import { isNewTo } from './turn-log.ts';
import { TurnPlaces } from './turn-places.ts';
import {
  findLongMood,
  findTurn,
  insertTurn,
  previousChatAt,
  requestStop,
  type TurnRow,
} from './turn-queries.ts';
import { mayStillRead, requireOwnClient, requireSpeaker, requireTurn } from './turn-target.ts';
import { turnText } from './turn-texts.ts';
import { whileAllowed } from './while-allowed.ts';

export interface TurnServiceDeps extends ServiceDeps {
  readonly memory: Memory;
  /** Undefined: none is configured. */
  readonly model: LanguageModel | undefined;
  /** Tests set less. */
  readonly silence?: SilenceLimits;
}

/** For the plan, the search and the selection together: 1.5 + 2 + 2.5 s, and the way. */
const RECALL_BUDGET_MS = 6_200;
const FOLLOW_EVERY_MS = 500;

/** A turn that was stored, with what is needed to answer it. */
interface StoredTurn {
  readonly eventId: string;
  readonly at: Date;
  readonly lastChatAt: Date | null;
}

export interface StartedTurn {
  /** Undefined: the turn was refused, and nothing is stored. */
  readonly eventId?: string;
  readonly frames: AsyncIterable<TurnFrame>;
}

/** The turns of `POST /api/chat`. Each is run by the process that was asked; any other can follow and stop it. */
export class TurnService {
  readonly #deps: TurnServiceDeps;
  readonly #running = new Map<string, RunningTurn>();
  readonly #places = new TurnPlaces();
  #isStopping = false;

  constructor(deps: TurnServiceDeps) {
    this.#deps = deps;
  }

  /** @throws AppError chat_busy, rate_limited, and what requireSpeaker, requireOwnClient and imagesOf throw */
  async start(person: Person, body: PostTurnBody): Promise<StartedTurn> {
    if (this.#isStopping) throw stopping();
    const { database, clock, config, logger, model, settings, silence = SILENCE } = this.#deps;
    const { locale } = config;
    const [speaker, { turnTimeoutSeconds }] = await Promise.all([
      requireSpeaker(database.db, person, body),
      settings.current(),
    ]);
    const { images: uris, clientId = person.id, ...said } = body;
    await requireOwnClient(database.db, person, clientId);
    const leave = await this.#places.enter(person.id, uris.length > 0);
    try {
      const images = imagesOf(uris);
      if (images === null) {
        leave();
        const message = turnText(locale, 'image_too_large');
        return { frames: once(errorFrame('', 'image_too_large', message)) };
      }
      const stored = await this.#store(person, said, clientId);
      const { eventId } = stored;
      const prepare = () => this.#prepare(speaker, { ...said, clientId }, stored);
      const work = { eventId, text: said.text, images, model, prepare };
      const timeoutMs = turnTimeoutSeconds * 1_000;
      const turn = new RunningTurn(work, { database, logger, locale, silence, timeoutMs });
      this.#running.set(eventId, turn);
      void turn.ended.finally(() => {
        this.#running.delete(eventId);
        leave();
      });
      const mayRead = () => mayStillRead(database.db, person, { projectId: said.projectId ?? null });
      return { eventId, frames: whileAllowed(turn.log.after(0), clock, mayRead) };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** The events of a turn behind `id`, and the further ones. @throws AppError event_not_found */
  async follow(person: Person, eventId: string, id: number): Promise<AsyncIterable<TurnFrame>> {
    const { database, clock } = this.#deps;
    const { db } = database;
    const turn = await requireTurn(db, person, await findTurn(db, eventId), 'reads');
    return whileAllowed(this.#framesAfter(eventId, id), clock, () => mayStillRead(db, person, turn));
  }

  /** Returns when the turn has ended, or when the process that runs it knows. @throws AppError event_not_found */
  async stop(person: Person, eventId: string): Promise<undefined> {
    const { database } = this.#deps;
    await requireTurn(database.db, person, await findTurn(database.db, eventId), 'writes');
    const turn = this.#running.get(eventId);
    if (turn) {
      turn.stop('stopped');
      await turn.ended;
    } else if (!(await endDeadTurnOf(database, eventId)))
      await database.transaction(async (tx) => {
        if (await requestStop(tx.db, eventId)) tx.dirty(keys.turn(eventId));
      });
    return undefined;
  }

  /** For the listener of the process: somebody stops a turn of this process. */
  onKeys(heard: readonly string[]): void {
    for (const [eventId, turn] of this.#running) if (heard.includes(keys.turn(eventId))) turn.stop('stopped');
  }

  /** Ends all turns; what they said is kept. */
  async close(): Promise<void> {
    this.#isStopping = true;
    const turns = [...this.#running.values()];
    for (const turn of turns) turn.stop('stopping');
    await Promise.all(turns.map(({ ended }) => ended));
  }

  async #store(
    person: Person,
    { agentId, projectId, text }: Omit<PostTurnBody, 'images' | 'clientId'>,
    clientId: string,
  ): Promise<StoredTurn> {
    const eventId = newId('evt');
    return this.#deps.database.transaction(async (tx) => {
      await endDeadTurn(tx, { agentId, clientId });
      const at = await tx.now();
      await storeEvents(tx, agentId, [
        {
          id: eventId,
          projectId: projectId ?? null,
          clientId,
          threadId: `chat:${projectId ?? ''}:${clientId}`,
          source: 'chat',
          actor: person.name,
          userText: text,
          // Until there is a reply.
          assistantState: 'failed',
          createdAt: at,
        },
      ]);
      const leaseUntil = new Date(at.getTime() + LEASE_MS);
      if (!(await insertTurn(tx.db, { eventId, agentId, clientId, leaseUntil }))) throw busy();
      return { eventId, at, lastChatAt: await previousChatAt(tx.db, eventId) };
    });
  }

  /** Never fails because of the memory; the reply does without. */
  async #prepare(
    speaker: Speaker,
    {
      agentId,
      projectId = null,
      clientId,
      text,
    }: Omit<PostTurnBody, 'clientId' | 'images' | 'projectId'> & {
      clientId: string;
      projectId?: string | null | undefined;
    },
    { eventId, at, lastChatAt }: StoredTurn,
  ): Promise<Question> {
    const { memory, config } = this.#deps;
    const [{ runId, pack }, mood] = await Promise.all([
      memory.recall({ agentId, projectId }, { text, clientId, eventId, budgetMs: RECALL_BUDGET_MS }),
      this.#longMood(agentId, projectId, at),
    ]);
    const time = timeContext(at, lastChatAt, config.timeZone);
    return { instructions: instructionsOf(speaker, { pack, time, mood }), retrievalRunId: runId };
  }

  /** As it is at this moment: what was a shock has faded since. */
  async #longMood(agentId: string, projectId: string | null, now: Date): Promise<LongMood | null> {
    const { database, config } = this.#deps;
    const row = await findLongMood(database.db, agentId, projectId);
    const vad = row && vadAt(row, now);
    if (!row || !vad) return null;
    return {
      body_text: row.bodyText,
      vad,
      last_confirmed_at: localTime(row.lastConfirmedAt, config.timeZone),
    };
  }

  async *#framesAfter(eventId: string, id: number): AsyncGenerator<TurnFrame> {
    const { database, config } = this.#deps;
    for (let sent = id; ; await delay(FOLLOW_EVERY_MS, undefined, { ref: false })) {
      const running = this.#running.get(eventId);
      if (running) return yield* running.log.after(sent);
      const turn = await findTurn(database.db, eventId);
      if (!turn) return;
      const { text } = turn;
      if (text.length > sent) {
        yield { id: text.length, event: 'token', data: { text: text.slice(sent) } };
        sent = text.length;
      }
      if (turn.state !== 'running') {
        const { state } = turn;
        const last = lastFrame(eventId, text, { ...turn, state }, config.locale);
        if (isNewTo(id, last)) yield last;
        return;
      }
      if (isDead(turn, await database.now())) await endDeadTurnOf(database, eventId);
    }
  }
}

function isDead({ leaseUntil }: TurnRow, now: Date): boolean {
  return leaseUntil.getTime() <= now.getTime();
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

function busy(): AppError {
  return new AppError('chat_busy', 'A turn of this agent and client runs. Wait for its end, or stop it.');
}

function stopping(): AppError {
  return new AppError('unavailable', 'The server is stopping.', { retryAfterSeconds: 2 });
}
