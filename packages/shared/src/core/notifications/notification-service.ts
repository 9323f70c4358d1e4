import type {
  AttentionBody,
  CreateChannelBody,
  CreatedChannel,
  NotificationChannel,
  NotificationSettings,
  Notifications,
  TestResult,
  UpdateChannelBody,
  UpdateNotificationSettingsBody,
} from '../../contract/notification.ts';
import { MAX_CHANNELS } from '../../contract/notification.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { isAllowedUrl } from '../../platform/http/outbound.ts';
import { newId } from '../../platform/ids.ts';
import { hashToken } from '../../platform/token-hash.ts';
import { type Person, requireMember } from '../access/person.ts';
import {
  type ChannelRecord,
  channelsOf,
  deleteChannel,
  deletePushChannel,
  findChannel,
  insertChannel,
  type NewChannel,
  renewPushChannel,
  updateChannel,
} from './channel-queries.ts';
import type { NotificationDeps } from './deps.ts';
import { forgetNotificationsOf } from './notification-queries.ts';
import { NotificationSender } from './notification-sender.ts';
import { CATEGORIES } from './rules/categories.ts';
import {
  dropAttention,
  findNotificationSettings,
  renewAttention,
  type StoredSettings,
  saveNotificationSettings,
} from './settings-queries.ts';

/** The page renews it while the person looks. */
const ATTENTION_MS = 45_000;
/** A test must not become a way to flood an address. */
const BETWEEN_TESTS_MS = 2_000;

/** What a person has chosen about notifications. Everything is the caller's own. */
export class NotificationService {
  readonly #deps: NotificationDeps;
  readonly #sender: NotificationSender;

  constructor(deps: NotificationDeps) {
    this.#deps = deps;
    this.#sender = new NotificationSender(deps);
  }

  async get(person: Person): Promise<Notifications> {
    const { database, keys: own } = this.#deps;
    const settings = await findNotificationSettings(database.db, person.id, { isLocked: false });
    const channels = await channelsOf(database.db, person.id, await database.now());
    return {
      settings: view(settings ?? this.#defaults(new Date(0))),
      channels: channels.map(channelView),
      publicKey: own.vapid.publicKey,
    };
  }

  updateSettings(person: Person, body: UpdateNotificationSettingsBody): Promise<NotificationSettings> {
    return this.#deps.database.transaction(async (tx) => {
      const before = await this.#settings(tx, person);
      const after = {
        ...before,
        locale: body.locale ?? before.locale,
        timeZone: body.timeZone ?? before.timeZone,
        quiet: body.quiet === undefined ? before.quiet : body.quiet,
        hidesText: body.hidesText ?? before.hidesText,
        rules: { ...before.rules, ...body.rules },
      };
      await saveNotificationSettings(tx.db, person.id, after);
      tx.dirty(keys.notifications);
      return view(after);
    });
  }

  /** `token`: the bearer of a browser, with whose end the channel ends. @throws AppError address_not_allowed, too_many_channels */
  async createChannel(
    person: Person,
    body: CreateChannelBody,
    token: string | undefined,
  ): Promise<CreatedChannel> {
    const address = addressOf(body);
    if (!isAllowedUrl(address, this.#deps.outbound))
      throw new AppError(
        'address_not_allowed',
        'This address is private, or not https. AIZUCHI_NOTIFY_HOSTS names the hosts for which that is allowed.',
      );
    const id = newId('chn');
    return this.#deps.database.transaction(async (tx) => {
      const now = await this.#begin(tx, person);
      const tokenHash = body.kind === 'web_push' && token !== undefined ? hashToken(token) : null;
      if (body.kind === 'web_push') {
        const renewed = { humanId: person.id, address, access: body.keys, tokenHash };
        const same = await renewPushChannel(tx.db, renewed);
        if (same !== undefined) return channelView(await this.#own(tx, person, same, now));
        await deletePushChannel(tx.db, address);
      }
      if ((await channelsOf(tx.db, person.id, now)).length >= MAX_CHANNELS)
        throw new AppError('too_many_channels', `A person has at most ${MAX_CHANNELS} channels.`);
      await insertChannel(tx.db, {
        ...this.#newChannel(person, body, address),
        id,
        createdAt: now,
        tokenHash,
      });
      const channel = await findChannel(tx.db, id, now);
      if (!channel) throw new Error('a stored channel is gone');
      return {
        ...channelView(channel),
        ...(body.kind === 'webhook' && { secret: this.#deps.keys.webhookSecret(id) }),
      };
    });
  }

  updateChannel(person: Person, id: string, body: UpdateChannelBody): Promise<NotificationChannel> {
    return this.#deps.database.transaction(async (tx) => {
      const now = body.isOn ? await this.#begin(tx, person) : await tx.now();
      await this.#own(tx, person, id, now);
      const { name, categories, isOn } = body;
      await updateChannel(tx.db, id, {
        ...(name !== undefined && { name }),
        ...(categories && { categories }),
        ...(isOn !== undefined && { isOn }),
      });
      return channelView(await this.#own(tx, person, id, now));
    });
  }

  async deleteChannel(person: Person, id: string): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      const now = await tx.now();
      await this.#own(tx, person, id, now);
      await deleteChannel(tx.db, id);
      if ((await channelsOf(tx.db, person.id, now)).length === 0)
        await forgetNotificationsOf(tx.db, person.id);
    });
  }

  async test(person: Person, id: string): Promise<TestResult> {
    const { database } = this.#deps;
    const now = await database.now();
    const channel = await this.#own(database, person, id, now);
    const lastAt = Math.max(channel.lastSentAt?.getTime() ?? 0, channel.failedAt?.getTime() ?? 0);
    if (now.getTime() - lastAt < BETWEEN_TESTS_MS)
      throw new AppError('rate_limited', 'A message was sent just now.', { retryAfterSeconds: 2 });
    const settings = await findNotificationSettings(database.db, person.id, { isLocked: false });
    if (channel.isSignedOut) return { sent: false, failure: 'signed_out' };
    const result = await this.#sender.sendTest(channel, settings ?? this.#defaults(channel.createdAt));
    return result.sent ? { sent: true } : { sent: false, failure: result.failure };
  }

  /** Where the person looks, in one tab. */
  async noteAttention(person: Person, { viewerId, place }: AttentionBody): Promise<void> {
    const { database } = this.#deps;
    if (place === null) return dropAttention(database.db, person.id, viewerId);
    if (place.projectId !== null) await requireMember(database.db, person, place.projectId);
    const until = new Date((await database.now()).getTime() + ATTENTION_MS);
    const { projectId, agentId = null } = place;
    await renewAttention(database.db, { humanId: person.id, viewerId, projectId, agentId, until });
  }

  #newChannel(
    person: Person,
    body: CreateChannelBody,
    address: string,
  ): Omit<NewChannel, 'id' | 'createdAt' | 'tokenHash'> {
    const { kind, name, categories = [...CATEGORIES] } = body;
    const token =
      body.kind === 'ntfy' && body.token !== undefined ? { token: this.#deps.keys.seal(body.token) } : {};
    return {
      humanId: person.id,
      kind,
      name,
      categories,
      address,
      access: body.kind === 'web_push' ? body.keys : token,
    };
  }

  /** A channel begins to be told: with the first one nothing older than now is. */
  async #begin(tx: Tx, person: Person): Promise<Date> {
    const settings = await this.#settings(tx, person);
    const now = await tx.now();
    const isTold = (await channelsOf(tx.db, person.id, now)).some(({ isOn }) => isOn);
    if (!isTold) {
      await saveNotificationSettings(tx.db, person.id, { ...settings, since: now });
      // What waited when the last channel ended is older than now.
      await forgetNotificationsOf(tx.db, person.id);
    }
    tx.dirty(keys.notifications);
    return now;
  }

  /** Locks the row; makes it first where there is none. */
  async #settings(tx: Tx, person: Person): Promise<StoredSettings> {
    const found = await findNotificationSettings(tx.db, person.id, { isLocked: true });
    if (found) return found;
    const made = this.#defaults(await tx.now());
    await saveNotificationSettings(tx.db, person.id, made);
    return made;
  }

  #defaults(since: Date): StoredSettings {
    const { locale, timeZone } = this.#deps.config;
    const asked = { sends: true, inQuiet: true };
    const other = { sends: true, inQuiet: false };
    const rules = {
      question: asked,
      approval: asked,
      review: other,
      failure: other,
      blocked: other,
      mention: other,
      answer: other,
    };
    return { locale, timeZone, quiet: null, hidesText: false, rules, since };
  }

  async #own(
    { db }: Pick<Tx, 'db'> | NotificationDeps['database'],
    person: Person,
    id: string,
    now: Date,
  ): Promise<ChannelRecord> {
    const channel = await findChannel(db, id, now);
    if (channel?.humanId !== person.id) throw new AppError('channel_not_found', 'You have no such channel.');
    return channel;
  }
}

function addressOf(body: CreateChannelBody): string {
  if (body.kind === 'web_push') return body.endpoint;
  if (body.kind === 'webhook') return body.url;
  return `${body.server.replace(/\/+$/, '')}/${body.topic}`;
}

function view({ since: _since, ...settings }: StoredSettings): NotificationSettings {
  return settings;
}

function channelView(channel: ChannelRecord): NotificationChannel {
  const { id, kind, name, isOn, createdAt, lastSentAt, failedAt, isSignedOut } = channel;
  const failure = isSignedOut ? 'signed_out' : channel.failure;
  return {
    id,
    kind,
    name,
    // What opens a browser is kept here.
    address: kind === 'web_push' ? new URL(channel.address).host : channel.address,
    categories: [...channel.categories],
    isOn,
    createdAt: createdAt.toISOString(),
    ...(lastSentAt && { lastSentAt: lastSentAt.toISOString() }),
    ...(failure !== null && { failure }),
    ...(failedAt && { failedAt: failedAt.toISOString() }),
  };
}
