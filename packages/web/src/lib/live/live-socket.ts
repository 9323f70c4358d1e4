import { backoffMs } from '../backoff.ts';
import { Store } from '../store.ts';
import { type ClientFrame, type LiveFrame, type ServerFrame, WS_CLOSE } from './wire.ts';

/**
 *   off ──start──▶ connecting ──first frame──▶ open ──close──▶ down ──backoff──▶ connecting …
 * Each project keeps the cursor of its last frame: after a reconnect the server sends what came after it, so that no
 * frame is missed or applied twice.
 */
export interface LiveStatus {
  readonly state: 'off' | 'connecting' | 'open' | 'down';
  /** Epoch milliseconds since when; of `down`, and of `connecting` after it, when the connection was lost. */
  readonly since: number;
}

export interface LiveSocketOptions {
  readonly open: () => WebSocket;
  readonly csrf: () => string | undefined;
  /** The frames of followed projects, and the question cards of all others. */
  readonly onFrame: (frame: LiveFrame) => void;
  /** The inbox may have changed. */
  readonly onInbox: () => void;
  /** Data read before may be stale: at the first subscription of a project, and when the cursor was too old. */
  readonly onGap: (projectId: string) => void;
  /** The server closed the connection because it does not know this sign-in. */
  readonly onUnauthenticated: () => void;
  /** The person may not (or no longer) follow this project. */
  readonly onRefused: (projectId: string) => void;
  readonly now?: () => number;
  readonly random?: () => number;
}

interface Subscription {
  /** The viewer ids of open chats, the newest last: its lease is renewed. */
  readonly viewers: string[];
  followers: number;
  cursor: string | undefined;
}

const BACKOFF = { firstMs: 250, longestMs: 10_000 };
const PING_EVERY_MS = 20_000;
const RESPONSE_TIMEOUT_MS = 8_000;

export class LiveSocket {
  readonly status: Store<LiveStatus>;
  readonly #options: LiveSocketOptions;
  readonly #now: () => number;
  readonly #followed = new Map<string, Subscription>();
  #socket: WebSocket | undefined;
  #isWanted = false;
  #attempts = 0;
  #reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  #pingTimer: ReturnType<typeof setInterval> | undefined;
  #answerTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LiveSocketOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.status = new Store<LiveStatus>({ state: 'off', since: this.#now() });
  }

  start(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#connect();
  }

  stop(): void {
    this.#isWanted = false;
    clearTimeout(this.#reconnectTimer);
    this.#drop();
    this.#attempts = 0;
    this.#setState('off');
  }

  /** Without waiting for the backoff: the network is back, or the tab became visible. */
  reconnectNow(): void {
    if (!this.#isWanted) return;
    if (this.#socket) {
      this.#ping();
      return;
    }
    clearTimeout(this.#reconnectTimer);
    this.#connect();
  }

  /** Subscribes to the project until the returned function is called. */
  follow(projectId: string, viewerId?: string): () => void {
    const followed = this.#followed.get(projectId) ?? { viewers: [], followers: 0, cursor: undefined };
    const isNew = followed.followers === 0;
    followed.followers += 1;
    if (viewerId !== undefined) followed.viewers.push(viewerId);
    this.#followed.set(projectId, followed);
    if (isNew || viewerId !== undefined) this.#subscribe(projectId, followed);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#unfollow(projectId, followed, viewerId);
    };
  }

  get projectIds(): readonly string[] {
    return [...this.#followed.keys()];
  }

  #unfollow(projectId: string, followed: Subscription, viewerId: string | undefined): void {
    followed.followers -= 1;
    if (viewerId !== undefined) followed.viewers.splice(followed.viewers.lastIndexOf(viewerId), 1);
    if (followed.followers > 0) {
      if (viewerId !== undefined) this.#subscribe(projectId, followed);
      return;
    }
    this.#followed.delete(projectId);
    this.#send({ type: 'unsubscribe', projectId });
  }

  #subscribe(projectId: string, { cursor, viewers }: Subscription): void {
    const viewerId = viewers.at(-1);
    this.#send({
      type: 'subscribe',
      projectId,
      ...(cursor !== undefined && { cursor }),
      ...(viewerId !== undefined && { viewerId }),
    });
  }

  #connect(): void {
    const csrf = this.#options.csrf();
    if (!this.#isWanted || csrf === undefined) return;
    this.#setState('connecting');
    const socket = this.#options.open();
    this.#socket = socket;
    socket.onopen = () => {
      this.#send({ type: 'auth', csrf });
      // The pong confirms that the sign-in was accepted.
      this.#ping();
      this.#send({ type: 'subscribe_inbox' });
      for (const [projectId, followed] of this.#followed) this.#subscribe(projectId, followed);
      this.#pingTimer = setInterval(() => this.#ping(), PING_EVERY_MS);
    };
    socket.onmessage = ({ data }) => {
      if (this.#socket === socket) this.#receive(data);
    };
    socket.onclose = ({ code }) => {
      if (this.#socket === socket) this.#lost(code);
    };
    this.#expectAnswer();
  }

  #receive(data: unknown): void {
    clearTimeout(this.#answerTimer);
    this.#answerTimer = undefined;
    this.#attempts = 0;
    this.#setState('open');
    const frame = JSON.parse(String(data)) as ServerFrame;
    if (frame.type === 'pong') return;
    if (frame.type === 'inbox_changed') {
      this.#options.onInbox();
      return;
    }
    if (frame.type === 'error') {
      if (frame.projectId !== undefined && frame.code === 'project_not_found')
        this.#options.onRefused(frame.projectId);
      return;
    }
    const followed = this.#followed.get(frame.projectId);
    if (!followed) {
      // Other frames were sent before the server handled the unsubscribe.
      if (frame.type === 'user_question' || frame.type === 'question_resolved') this.#options.onFrame(frame);
      return;
    }
    if (frame.type === 'subscribed') {
      const isGap = frame.reset || followed.cursor === undefined;
      followed.cursor = frame.cursor;
      if (isGap) this.#options.onGap(frame.projectId);
      return;
    }
    if ('cursor' in frame) followed.cursor = frame.cursor;
    this.#options.onFrame(frame);
  }

  #lost(code: number): void {
    this.#drop();
    if (!this.#isWanted) return;
    this.#setState('down');
    if (code === WS_CLOSE.unauthenticated) this.#options.onUnauthenticated();
    const ceiling = backoffMs(this.#attempts, BACKOFF);
    this.#attempts += 1;
    const random = this.#options.random ?? Math.random;
    this.#reconnectTimer = setTimeout(() => this.#connect(), ceiling * (0.5 + random() / 2));
  }

  #drop(): void {
    clearInterval(this.#pingTimer);
    clearTimeout(this.#answerTimer);
    this.#answerTimer = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #ping(): void {
    if (this.#socket?.readyState === 1) this.#send({ type: 'ping' });
    this.#expectAnswer();
  }

  /** A connection may be dead without being closed (sleep, lost network): it must respond in time. */
  #expectAnswer(): void {
    if (this.#answerTimer !== undefined) return;
    this.#answerTimer = setTimeout(() => this.#lost(0), RESPONSE_TIMEOUT_MS);
  }

  #send(frame: ClientFrame): void {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(frame));
  }

  #setState(state: LiveStatus['state']): void {
    const before = this.status.get();
    if (before.state === state) return;
    const isStillAway = before.state === 'down' && state === 'connecting';
    this.status.set({
      state,
      since: isStillAway || (before.state === 'connecting' && state === 'down') ? before.since : this.#now(),
    });
  }
}
