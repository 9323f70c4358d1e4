import { storable } from '@aizuchi/shared/contract/storable';
import { type ClientFrame, clientFrameSchema, type ServerFrame, WS_CLOSE } from '@aizuchi/shared/contract/ws';
import { type Person, projectNotFound } from '@aizuchi/shared/core/access/person';
import { unreachable } from '@aizuchi/shared/core/rules/unreachable';
import { AppError } from '@aizuchi/shared/platform/errors';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { type Credentials, unsealCookie } from '../plugins/credentials.ts';
import { toAppError } from '../plugins/error-handler.ts';
import { SentCards } from './card-frames.ts';
import type { SubscriptionHub } from './hub.ts';
import type { InboxSubscriber } from './inbox-feed.ts';
import { type FrameSink, type Subscription, toText } from './subscription.ts';

export interface ConnectionOptions {
  readonly hub: Pick<SubscriptionHub, 'join' | 'confirm' | 'leave' | 'joinInbox' | 'leaveInbox'>;
  readonly identify: (credentials: Credentials) => Promise<Person>;
  /** Throws project_not_found for a project that the person may not see. */
  readonly requireMember: (person: Person, projectId: string) => Promise<unknown>;
  readonly renewViewer: (person: Person, viewer: { projectId: string; viewerId: string }) => Promise<unknown>;
  readonly answerQuestion: (
    person: Person,
    frame: Extract<ClientFrame, { type: 'question_answer' }>,
  ) => Promise<void>;
  readonly onUnexpected: (error: unknown) => void;
  readonly onSlow: () => void;
  /** How many bytes may wait unread before the reader counts as too slow. */
  readonly maxUnreadBytes: number;
  /** How long a socket that was opened with a cookie may take to send its first frame. */
  readonly authTimeoutMs: number;
}

/** A bearer identifies the person at once. With a cookie the first frame must bring the CSRF value. */
export type Opening =
  | { readonly credentials: Credentials; readonly person: Person }
  | { readonly cookie: string };

const MAX_SUBSCRIPTIONS = 50;
/** How many frames of a client may wait to be handled. */
const MAX_WAITING_FRAMES = 200;
const WAIT_ABOVE_BYTES = 256 * 1024;
const TIMEOUT_MS = 15_000;
/** After this time the socket is terminated: a close frame behind a full buffer may never arrive. */
const CLOSE_GRACE_MS = 2_000;
/** RFC 6455 registry, "Try Again Later": whether the sign-in is valid could not be read. */
const TRY_AGAIN_LATER = 1013;
/** Checked apart from the frame's schema, so that the refusal can name the project or card of the frame. */
const anyStorable = storable(z.unknown());

/** One WebSocket: its person, its subscriptions, its send buffer. Its frames are handled one by one. */
export class Connection implements FrameSink {
  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  #inbox: InboxSubscriber | undefined;
  #opening: Opening;
  #person: Person | undefined;
  #authTimer: NodeJS.Timeout | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #waitingFrames = 0;
  #isAnswering = true;

  constructor(socket: WebSocket, opening: Opening, options: ConnectionOptions) {
    this.#socket = socket;
    this.#opening = opening;
    this.#options = options;
    if ('person' in opening) this.#person = opening.person;
    else {
      this.#authTimer = setTimeout(
        () => this.close(WS_CLOSE.unauthenticated, 'not signed in'),
        options.authTimeoutMs,
      );
    }
    socket.on('message', (data, isBinary) => this.#receive(data.toString(), isBinary));
    socket.on('pong', () => {
      this.#isAnswering = true;
    });
    socket.once('close', () => this.#end());
  }

  get person(): Person {
    if (!this.#person) throw new AppError('unauthenticated', 'Not signed in.');
    return this.#person;
  }

  get personId(): string | undefined {
    return this.#person?.id;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  send(text: string): void {
    if (!this.isOpen) return;
    this.#socket.send(text);
    if (this.#socket.bufferedAmount > this.#options.maxUnreadBytes) this.#tooSlow();
  }

  async sendUntilAccepted(text: string): Promise<void> {
    if (!this.isOpen) return;
    const written = new Promise<void>((resolve) => this.#socket.send(text, () => resolve()));
    if (this.#socket.bufferedAmount <= WAIT_ABOVE_BYTES) return;
    const timer = setTimeout(() => this.#tooSlow(), TIMEOUT_MS);
    await written;
    clearTimeout(timer);
  }

  close(code: number, reason: string): void {
    clearTimeout(this.#authTimer);
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), CLOSE_GRACE_MS).unref();
  }

  /** Pings the peer. If it did not answer the previous ping, it is gone and the socket is terminated. */
  ping(): void {
    if (!this.#isAnswering) {
      this.#socket.terminate();
      return;
    }
    this.#isAnswering = false;
    if (this.isOpen) this.#socket.ping();
  }

  /**
   * The person may have lost rights: ends subscriptions that are no longer allowed, or the socket if the credentials
   * are invalid.
   */
  async recheck(): Promise<void> {
    if (!('person' in this.#opening) || !this.isOpen) return;
    try {
      this.#person = await this.#options.identify(this.#opening.credentials);
    } catch (error) {
      if (toAppError(error).code === 'unauthenticated') this.close(WS_CLOSE.unauthenticated, 'signed out');
      return;
    }
    for (const subscription of [...this.#subscriptions.values()]) {
      if (subscription.isOver) continue;
      const { checks } = subscription;
      try {
        await this.#options.requireMember(this.person, subscription.projectId);
      } catch (error) {
        if (toAppError(error).code !== 'project_not_found') continue;
        // Over: ended and told by what is sent to its project, or replaced. A later check than this one may have passed.
        if (!subscription.isOver && subscription.checks === checks) this.lose(subscription);
      }
    }
  }

  /** Tries every lease. @throws the first error */
  async renewViewers(): Promise<void> {
    const failures: unknown[] = [];
    for (const { projectId, viewerId, isOver } of [...this.#subscriptions.values()]) {
      if (viewerId === undefined || isOver) continue;
      await this.#options
        .renewViewer(this.person, { projectId, viewerId })
        .catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  #receive(text: string, isBinary: boolean): void {
    // What has arrived before a close is still emitted after it.
    if (!this.isOpen) return;
    if (this.#waitingFrames >= MAX_WAITING_FRAMES) {
      this.close(WS_CLOSE.forbidden, 'too many frames');
      return;
    }
    this.#waitingFrames += 1;
    this.#queue = this.#queue.then(async () => {
      this.#waitingFrames -= 1;
      if (!this.isOpen) return;
      const frame = isBinary ? undefined : parseFrame(text);
      try {
        if (!frame || !anyStorable.safeParse(frame).success)
          throw new AppError('invalid_input', 'This is not a frame of the contract.');
        await this.#handle(frame);
      } catch (error) {
        this.#fail(error, aboutOf(frame));
      }
    });
  }

  async #handle(frame: ClientFrame): Promise<void> {
    if (frame.type === 'auth') return this.#authenticate(frame.csrf);
    if (!this.#person) {
      this.close(WS_CLOSE.unauthenticated, 'sign in first');
      return;
    }
    switch (frame.type) {
      case 'subscribe':
        return this.#subscribe(this.#person, frame);
      case 'unsubscribe':
        return this.#unsubscribe(frame.projectId);
      case 'subscribe_inbox':
        return this.#subscribeInbox();
      case 'question_answer':
        return this.#options.answerQuestion(this.#person, frame);
      case 'ping':
        return this.#say({ type: 'pong' });
      default:
        return unreachable(frame);
    }
  }

  async #authenticate(csrf: string): Promise<void> {
    if (!('cookie' in this.#opening))
      throw new AppError('invalid_input', 'This socket is signed in already.');
    clearTimeout(this.#authTimer);
    const credentials = unsealCookie(this.#opening.cookie, csrf);
    try {
      const person = await this.#options.identify(credentials);
      this.#opening = { credentials, person };
      this.#person = person;
    } catch (error) {
      if (toAppError(error).code === 'unauthenticated') {
        this.close(WS_CLOSE.unauthenticated, 'not signed in');
        return;
      }
      // Otherwise the next frame would be refused as that of a client without a sign-in.
      this.#fail(error, {});
      this.close(TRY_AGAIN_LATER, 'the sign-in could not be checked');
    }
  }

  async #subscribe(person: Person, frame: Extract<ClientFrame, { type: 'subscribe' }>): Promise<void> {
    const { projectId, viewerId } = frame;
    await this.#options.requireMember(person, projectId);
    const current = this.#subscriptions.get(projectId);
    if (current) current.checks += 1;
    if (!current && this.#subscriptions.size >= MAX_SUBSCRIPTIONS) {
      throw new AppError('invalid_input', `One socket follows at most ${MAX_SUBSCRIPTIONS} projects.`);
    }
    if (viewerId !== undefined) await this.#options.renewViewer(person, { projectId, viewerId });
    if (current && (await this.#options.hub.confirm(current, frame.cursor))) {
      current.viewerId = viewerId;
      return;
    }
    this.#unsubscribe(projectId);
    // Closed meanwhile: `#end` has run, and nobody would leave the hub.
    if (!this.isOpen) return;
    const sentCards = new SentCards();
    const subscription: Subscription = {
      sink: this,
      projectId,
      viewerId,
      since: frame.cursor,
      sentCards,
      isOver: false,
      checks: 0,
    };
    this.#subscriptions.set(projectId, subscription);
    try {
      await this.#options.hub.join(subscription);
    } catch (error) {
      this.#forget(subscription);
      throw error;
    }
  }

  /** A second subscription replaces the first, and its first frame is sent at once. */
  async #subscribeInbox(): Promise<void> {
    this.#leaveInbox();
    const follows = (projectId: string) => this.#subscriptions.has(projectId);
    this.#inbox = { sink: this, follows, isOver: false };
    await this.#options.hub.joinInbox(this.#inbox);
  }

  #leaveInbox(): void {
    if (this.#inbox) this.#options.hub.leaveInbox(this.#inbox);
    this.#inbox = undefined;
  }

  lose(subscription: Subscription): void {
    const { projectId } = subscription;
    this.#forget(subscription);
    this.#options.hub.leave(subscription);
    this.#refuse(projectNotFound(), { projectId });
  }

  /** Does nothing if a newer subscription to the same project has replaced this one. */
  #forget(subscription: Subscription): void {
    const { projectId } = subscription;
    if (this.#subscriptions.get(projectId) === subscription) this.#subscriptions.delete(projectId);
  }

  #unsubscribe(projectId: string): void {
    const subscription = this.#subscriptions.get(projectId);
    if (!subscription) return;
    this.#subscriptions.delete(projectId);
    this.#options.hub.leave(subscription);
  }

  #fail(error: unknown, about: ReturnType<typeof aboutOf>): void {
    const refusal = toAppError(error);
    if (refusal.code === 'internal') this.#options.onUnexpected(error);
    this.#refuse(refusal, about);
  }

  #refuse({ code, message }: AppError, about: ReturnType<typeof aboutOf>): void {
    this.#say({ type: 'error', code, message, ...about });
  }

  #tooSlow(): void {
    if (!this.isOpen) return;
    this.#options.onSlow();
    this.close(WS_CLOSE.tooSlow, 'too slow');
  }

  #say(frame: ServerFrame): void {
    this.send(toText(frame));
  }

  #end(): void {
    clearTimeout(this.#authTimer);
    for (const projectId of [...this.#subscriptions.keys()]) this.#unsubscribe(projectId);
    this.#leaveInbox();
  }
}

/** The part of a frame that its refusal repeats. */
function aboutOf(frame: ClientFrame | undefined): { projectId?: string; tool_use_id?: string } {
  if (frame && 'projectId' in frame) return { projectId: frame.projectId };
  return frame?.type === 'question_answer' ? { tool_use_id: frame.tool_use_id } : {};
}

function parseFrame(text: string): ClientFrame | undefined {
  try {
    return clientFrameSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
