import { newId } from '../../platform/ids.ts';
import { currentAccessLevel } from '../access/person.ts';
import { InboxService } from '../inbox/inbox-service.ts';
import { type InboxEntry, inboxEntries } from '../inbox/rules/inbox-entries.ts';
import { type ChannelRecord, deleteChannel, findChannel, noteFailure, noteSent } from './channel-queries.ts';
import { sendNtfy } from './channels/ntfy.ts';
import type { Send, SendContext, SendResult } from './channels/send.ts';
import { sendWebPush } from './channels/web-push.ts';
import { sendWebhook } from './channels/webhook.ts';
import type { NotificationDeps } from './deps.ts';
import { messageOf, type NotificationMessage, testMessage } from './message.ts';
import {
  type Dispatch,
  finishDispatch,
  namesOf,
  retryDispatch,
  takeDispatches,
} from './notification-queries.ts';
import { keyOf } from './rules/categories.ts';
import { MAX_FAILURES, retryPause } from './rules/retry.ts';
import { findNotificationSettings, type StoredSettings } from './settings-queries.ts';

/** Longer than an attempt may take. */
const LEASE_MS = 60_000;
const AT_ONCE = 10;

const SENDERS: Readonly<Record<ChannelRecord['kind'], Send>> = {
  web_push: sendWebPush,
  webhook: sendWebhook,
  ntfy: sendNtfy,
};

/** Sends the messages that are due. What they say is read in that moment, so nothing is told that is over. */
export class NotificationSender {
  readonly #deps: NotificationDeps;

  constructor(deps: NotificationDeps) {
    this.#deps = deps;
  }

  /** Until nothing is due. */
  async sendDue(): Promise<void> {
    const { database } = this.#deps;
    for (;;) {
      const now = await database.now();
      const taken = await takeDispatches(database.db, { now, leaseMs: LEASE_MS, limit: AT_ONCE });
      await Promise.all(taken.map((dispatch) => this.#attempt(dispatch)));
      if (taken.length < AT_ONCE) return;
    }
  }

  /** A test, sent at once and once; its outcome stays with the channel. */
  async sendTest(channel: ChannelRecord, settings: Pick<StoredSettings, 'locale'>): Promise<SendResult> {
    const result = await this.#send(channel, testMessage(newId('dsp'), settings.locale));
    await this.#note(channel, result, false);
    return result;
  }

  async #attempt(dispatch: Dispatch): Promise<void> {
    const { database, logger } = this.#deps;
    try {
      const channel = await findChannel(database.db, dispatch.channelId, await database.now());
      const message =
        channel?.isOn && !channel.isSignedOut ? await this.#messageFor(dispatch, channel) : undefined;
      if (!channel || !message) {
        await finishDispatch(database.db, dispatch, { state: 'dropped', now: await database.now() });
        return;
      }
      await this.#settle(dispatch, channel, await this.#send(channel, message));
    } catch (err) {
      // It stays taken and is tried again when its lease is over.
      logger.warn({ err, dispatchId: dispatch.id }, 'a notification could not be sent');
    }
  }

  #send(channel: ChannelRecord, message: NotificationMessage): Promise<SendResult> {
    const { keys, outbound, publicUrl, clock } = this.#deps;
    const context: SendContext = { keys, rules: outbound, publicUrl, now: clock.now() };
    return SENDERS[channel.kind](channel, message, context);
  }

  async #settle(dispatch: Dispatch, channel: ChannelRecord, result: SendResult): Promise<void> {
    const { db } = this.#deps.database;
    const now = await this.#deps.database.now();
    const pause = result.sent || result.isFinal ? null : retryPause(dispatch.attempts, result.retryAfterMs);
    if (!result.sent && pause !== null) await retryDispatch(db, dispatch, new Date(now.getTime() + pause));
    else await finishDispatch(db, dispatch, { state: result.sent ? 'sent' : 'failed', now });
    await this.#note(channel, result, pause === null);
  }

  async #note(channel: ChannelRecord, result: SendResult, isFinal: boolean): Promise<void> {
    const { db } = this.#deps.database;
    const now = await this.#deps.database.now();
    if (result.sent) return noteSent(db, channel.id, now);
    if (result.isGone && channel.kind === 'web_push') return deleteChannel(db, channel.id);
    const max = result.isGone ? 1 : MAX_FAILURES;
    return noteFailure(db, channel.id, {
      failure: result.failure,
      isFinal: isFinal || result.isGone,
      max,
      now,
    });
  }

  /** Undefined: nothing of it waits any more, or its person may not see it any more. */
  async #messageFor(
    { id, keys }: Dispatch,
    { humanId }: ChannelRecord,
  ): Promise<NotificationMessage | undefined> {
    const { database, config, questions } = this.#deps;
    const settings = await findNotificationSettings(database.db, humanId, { isLocked: false });
    const accessLevel = await currentAccessLevel(database.db, humanId);
    if (!settings || !accessLevel) return undefined;
    const inbox = new InboxService({ ...this.#deps, config: { ...config, locale: settings.locale } });
    const all = inboxEntries((await inbox.listIn(database.db, { id: humanId, accessLevel })).items);
    const entries = all.filter(({ item }) => keys.includes(keyOf(item)));
    if (entries.length === 0) return undefined;
    return messageOf(id, entries, all.length, settings, {
      names: await namesOf(database.db, idsIn(entries)),
      questions: await questions.byIds(
        entries.flatMap(({ item }) => (item.kind === 'question' ? [item.refId] : [])),
      ),
    });
  }
}

function idsIn(entries: readonly InboxEntry[]) {
  return {
    projectIds: entries.map(({ item }) => item.projectId),
    agentIds: entries.flatMap(({ item }) => item.agentId ?? []),
  };
}
