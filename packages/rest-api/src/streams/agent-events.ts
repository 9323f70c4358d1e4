import type { AgentEvent, EventStreamQuery } from '@aizuchi/shared/contract/vision';
import type { Person } from '@aizuchi/shared/core/access/person';
import type { VisionService } from '@aizuchi/shared/core/vision/vision-service';
import { EVERYTHING, keys } from '@aizuchi/shared/platform/change-log/keys';
import { AppError } from '@aizuchi/shared/platform/errors';
import { Turnstile } from '@aizuchi/shared/platform/http/turnstile';
import type { Logger } from '@aizuchi/shared/platform/logger';

/** Also ends what has timed out, and heals a hint that was lost. */
const LOOK_EVERY_MS = 5_000;
/** A database that is away for so long ends the stream; its client comes again. */
const MAX_FAILURES = 3;
/** Pages of one person hold one each. */
const STREAMS = { perCaller: 20, total: 2_000, waiting: 0, refusal: 'Too many streams at once. Close one.' };

export interface AgentEventsOptions {
  readonly vision: Pick<VisionService, 'open' | 'ended'>;
  readonly logger: Logger;
}

/** Who follows. */
export interface Reader {
  readonly person: Person;
  /** The person with the rights of this moment. @throws AppError unauthenticated when the sign-in has ended */
  readonly identify: () => Promise<Person>;
}

interface Stream {
  readonly keys: readonly string[];
  /** Something may have changed since the last look. */
  isStale: boolean;
  isOver: boolean;
  wake: (() => void) | undefined;
}

/**
 * The streams of `GET /api/events/stream` in this process. What they say is read from the database, so it does not matter
 * which process was asked. Further types of events are added in `#news`.
 */
export class AgentEvents {
  readonly #options: AgentEventsOptions;
  readonly #streams = new Set<Stream>();
  readonly #places = new Turnstile(STREAMS);
  #isClosed = false;

  constructor(options: AgentEventsOptions) {
    this.#options = options;
  }

  /** Ends by itself with the right or the sign-in of the reader. `onGone` is given how to end it. @throws AppError */
  async follow(
    reader: Reader,
    query: EventStreamQuery,
    onGone: (leave: () => void) => void,
  ): Promise<AsyncIterable<AgentEvent>> {
    const { person } = reader;
    await this.#options.vision.open(person, query);
    const leaves: (() => void)[] = [];
    await this.#places.enter(person.id, (leave) => leaves.push(leave));
    const leavePlace = () => {
      for (const leave of leaves.splice(0)) leave();
    };
    // Nobody would end a stream that begins after the others were ended, and the stop would wait for it.
    if (this.#isClosed) {
      leavePlace();
      throw new AppError('unavailable', 'The server is stopping.', { retryAfterSeconds: 2 });
    }
    const stream: Stream = {
      keys: [keys.vision(query.agentId), keys.caller(person.id)],
      isStale: true,
      isOver: false,
      wake: undefined,
    };
    this.#streams.add(stream);
    onGone(() => {
      end(stream);
      this.#streams.delete(stream);
      leavePlace();
    });
    return this.#events(reader, query, stream);
  }

  /** For the listener of the process. */
  onKeys(heard: readonly string[]): void {
    const isAll = heard.includes(EVERYTHING);
    for (const stream of this.#streams)
      if (isAll || stream.keys.some((key) => heard.includes(key))) {
        stream.isStale = true;
        stream.wake?.();
      }
  }

  /** Ends all streams, and refuses further ones: the process stops. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) end(stream);
  }

  async *#events(reader: Reader, query: EventStreamQuery, stream: Stream): AsyncGenerator<AgentEvent> {
    let told = new Set<string>();
    let failures = 0;
    while (!stream.isOver) {
      stream.isStale = false;
      try {
        const { events, open } = await this.#news(await reader.identify(), query, told);
        yield* events;
        told = open;
        failures = 0;
      } catch (error) {
        failures += 1;
        const { logger } = this.#options;
        logger.debug({ err: error, agentId: query.agentId }, 'a stream of events could not look');
        if (error instanceof AppError || failures === MAX_FAILURES) return;
      }
      await nextLook(stream);
    }
  }

  async #news(
    person: Person,
    query: EventStreamQuery,
    told: ReadonlySet<string>,
  ): Promise<{ events: AgentEvent[]; open: Set<string> }> {
    const { vision } = this.#options;
    const requests = await vision.open(person, query);
    const open = new Set(requests.map(({ id }) => id));
    const asked = requests
      .filter(({ id }) => !told.has(id))
      .map(({ id, source, timeoutMs }): AgentEvent => {
        const data = { request_id: id, source, timeout_ms: timeoutMs };
        return { event_id: 0, type: 'vision.capture_request', data };
      });
    const ended = await vision.ended([...told].filter((id) => !open.has(id)));
    return { events: [...asked, ...ended], open };
  }
}

function end(stream: Stream): void {
  stream.isOver = true;
  stream.wake?.();
}

function nextLook(stream: Stream): Promise<void> {
  if (stream.isStale || stream.isOver) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LOOK_EVERY_MS);
    timer.unref();
    stream.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
