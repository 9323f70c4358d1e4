import { backoffMs } from '../backoff.ts';
import { Store } from '../store.ts';
import { Retry } from './retry.ts';
import { Subscriptions } from './subscriptions.ts';
import { type ClientFrame, type LiveFrame, type ServerFrame, WS_CLOSE } from './wire.ts';

/**
 *   off ──start──▶ connecting ──first frame that is no error──▶ open ──close──▶ down ──backoff──▶ connecting …
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
  /** The frames of followed projects, and the question cards and approvals of all others. */
  readonly onFrame: (frame: LiveFrame) => void;
  /** The inbox may have changed. */
  readonly onInbox: () => void;
  /** The projects of the person, or their members, may have changed. */
  readonly onProjects: () => void;
  /** Data read before may be stale: at the first subscription of a project, and when the cursor was too old. */
  readonly onGap: (projectId: string) => void;
  /** The server closed the connection because it does not know this sign-in. */
  readonly onUnauthenticated: () => void;
  /** The person may not (or no longer) follow this project. */
  readonly onRefused: (projectId: string) => void;
  readonly now?: () => number;
  readonly random?: () => number;
}

const BACKOFF = { firstMs: 250, longestMs: 10_000 };
const PING_EVERY_MS = 20_000;
const RESPONSE_TIMEOUT_MS = 8_000;

// Own code: partysocket (2.7 kB gzip) would replace only the few lines of reconnect and backoff; resuming by cursor, the
// response timeout and the close codes would stay.
export class LiveSocket {
  readonly status: Store<LiveStatus>;
  readonly #options: LiveSocketOptions;
  readonly #now: () => number;
  /** After so many failures before; varied, so that pages do not come together. */
  readonly #delayMs: (failures: number) => number;
  readonly #subscriptions: Subscriptions;
  readonly #inboxRetry: Retry;
  #socket: WebSocket | undefined;
  #isWanted = false;
  #attempts = 0;
  #wasLost = false;
  #reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  #pingTimer: ReturnType<typeof setInterval> | undefined;
  #responseTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LiveSocketOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    const { random = Math.random } = options;
    this.#delayMs = (failures) => backoffMs(failures, BACKOFF) * (0.5 + random() / 2);
    this.#subscriptions = new Subscriptions((frame) => this.#send(frame), this.#delayMs);
    this.#inboxRetry = new Retry(() => this.#send({ type: 'subscribe_inbox' }), this.#delayMs);
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
    this.#closeConnection();
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
    return this.#subscriptions.follow(projectId, viewerId);
  }

  get projectIds(): readonly string[] {
    return this.#subscriptions.projectIds;
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
      this.#subscriptions.resubscribe();
      this.#pingTimer = setInterval(() => this.#ping(), PING_EVERY_MS);
    };
    socket.onmessage = ({ data }) => {
      if (this.#socket === socket) this.#receive(data);
    };
    socket.onclose = ({ code }) => {
      if (this.#socket === socket) this.#onDisconnected(code);
    };
    this.#startResponseTimer();
  }

  #receive(data: unknown): void {
    clearTimeout(this.#responseTimer);
    this.#responseTimer = undefined;
    const frame = JSON.parse(String(data)) as ServerFrame;
    if (frame.type === 'error') {
      this.#onError(frame);
      return;
    }
    this.#attempts = 0;
    this.#setState('open');
    if (this.#wasLost) {
      this.#wasLost = false;
      this.#options.onProjects();
    }
    if (frame.type === 'pong') return;
    if (frame.type === 'inbox_changed') {
      // Until now nobody would have said that the projects have changed.
      if (this.#inboxRetry.over()) this.#onProjects();
      this.#options.onInbox();
      return;
    }
    if (frame.type === 'projects_changed') {
      this.#onProjects();
      return;
    }
    if (!this.#subscriptions.has(frame.projectId)) {
      // Other frames were sent before the server handled the unsubscribe.
      if (isCard(frame)) this.#options.onFrame(frame);
      return;
    }
    if (frame.type === 'subscribed') {
      const isFirst = this.#subscriptions.confirmed(frame.projectId, frame.cursor);
      if (isFirst || frame.reset) this.#options.onGap(frame.projectId);
      return;
    }
    if ('cursor' in frame) this.#subscriptions.advance(frame.projectId, frame.cursor);
    this.#options.onFrame(frame);
  }

  #onProjects(): void {
    this.#subscriptions.retryRefused();
    this.#options.onProjects();
  }

  /** The socket goes on: a request that the server could not serve is repeated. */
  #onError({ code, projectId, tool_use_id }: ErrorFrame): void {
    const isTemporary = code === 'unavailable' || code === 'internal';
    if (projectId === undefined) {
      if (isTemporary && tool_use_id === undefined) this.#inboxRetry.later();
    } else if (isTemporary) this.#subscriptions.failed(projectId);
    else if (code === 'project_not_found') {
      this.#subscriptions.refused(projectId);
      this.#options.onRefused(projectId);
    }
  }

  #onDisconnected(code: number): void {
    this.#closeConnection();
    if (!this.#isWanted) return;
    this.#setState('down');
    this.#wasLost = true;
    if (code === WS_CLOSE.unauthenticated) this.#options.onUnauthenticated();
    this.#reconnectTimer = setTimeout(() => this.#connect(), this.#delayMs(this.#attempts++));
  }

  #closeConnection(): void {
    clearInterval(this.#pingTimer);
    clearTimeout(this.#responseTimer);
    this.#responseTimer = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #ping(): void {
    if (this.#socket?.readyState === 1) this.#send({ type: 'ping' });
    this.#startResponseTimer();
  }

  /** A connection may be dead without being closed (sleep, lost network): it must respond in time. */
  #startResponseTimer(): void {
    if (this.#responseTimer !== undefined) return;
    this.#responseTimer = setTimeout(() => this.#onDisconnected(0), RESPONSE_TIMEOUT_MS);
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

type ErrorFrame = Extract<ServerFrame, { type: 'error' }>;

type CardFrame = Extract<
  LiveFrame,
  { type: 'user_question' | 'question_resolved' | 'approval_request' | 'approval_resolved' }
>;

function isCard(frame: ServerFrame): frame is CardFrame {
  const { type } = frame;
  return (
    type === 'user_question' ||
    type === 'question_resolved' ||
    type === 'approval_request' ||
    type === 'approval_resolved'
  );
}
