import { ACCESS_LEVELS } from '../../contract/agent.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { InboxService, MAX_INBOX_ITEMS } from '../inbox/inbox-service.ts';
import { inboxEntries } from '../inbox/rules/inbox-entries.ts';
import { channelsOf, peopleWithChannels, type ToldPerson } from './channel-queries.ts';
import type { NotificationDeps } from './deps.ts';
import {
  endNotifications,
  insertDispatches,
  knownNotifications,
  openNotifications,
  postponeNotification,
  settleNotifications,
} from './notification-queries.ts';
import { keyOf } from './rules/categories.ts';
import { compare, decideDue, type KnownNotification, messagesFor } from './rules/decide.ts';
import { attentionOf, findNotificationSettings, type StoredSettings } from './settings-queries.ts';

const PAGE = 100;

/**
 * Keeps a row for each thing that waits for a person with a channel, by comparing with the inbox, and makes the messages
 * of what is due. In one transaction for a person, behind the lock of the person's settings: of several processes one does
 * it, and one that dies has done all of it or nothing.
 */
export class NotificationProjection {
  readonly #deps: NotificationDeps;
  readonly #inbox: InboxService;

  constructor(deps: NotificationDeps) {
    this.#deps = deps;
    this.#inbox = new InboxService(deps);
  }

  /** Looks at everybody; a failure for one person does not keep the others from it. */
  async look(): Promise<void> {
    const { database, logger } = this.#deps;
    let after = '';
    for (;;) {
      const people = await peopleWithChannels(database.db, { after, limit: PAGE });
      for (const person of people)
        await database
          .transaction((tx) => this.#lookFor(tx, person))
          .catch((err: unknown) =>
            logger.warn({ err, personId: person.id }, 'a person could not be notified'),
          );
      if (people.length < PAGE) return;
      after = people.at(-1)?.id ?? after;
    }
  }

  async #lookFor(tx: Tx, { id, accessLevel: level }: ToldPerson): Promise<void> {
    const accessLevel = ACCESS_LEVELS.find((one) => one === level);
    const settings = await findNotificationSettings(tx.db, id, { isLocked: true });
    if (!settings || !accessLevel) return;
    const now = await tx.now();
    const { items } = await this.#inbox.listIn(tx.db, { id, accessLevel });
    const entries = inboxEntries(items);
    const known = await knownNotifications(tx.db, id, items.map(keyOf));
    const isComplete = items.length < MAX_INBOX_ITEMS;
    const { opened, over } = compare(entries, known, { now, since: settings.since, isComplete });
    await endNotifications(tx.db, id, over, now);
    await openNotifications(tx.db, id, opened);
    const gone = new Set(over);
    const due = [...known.values()].filter(
      ({ key, state, dueAt }) => state === 'waiting' && !gone.has(key) && dueAt !== null && dueAt <= now,
    );
    if (due.length > 0) await this.#tell(tx, { humanId: id, settings, due, now });
  }

  async #tell(
    tx: Tx,
    {
      humanId,
      settings,
      due,
      now,
    }: { humanId: string; settings: StoredSettings; due: readonly KnownNotification[]; now: Date },
  ): Promise<void> {
    const attention = await attentionOf(tx.db, humanId, now);
    const { rules, timeZone, quiet } = settings;
    const wishes = { rules, quiet: quiet && { ...quiet, timeZone } };
    const told: KnownNotification[] = [];
    const passed: string[] = [];
    for (const one of due) {
      const outcome = decideDue(one, wishes, attention, now);
      if (outcome === 'tell') told.push(one);
      else if (outcome === 'pass') passed.push(one.key);
      else await postponeNotification(tx.db, humanId, one.key, outcome.later);
    }
    await settleNotifications(tx.db, humanId, { state: 'passed', keys: passed, now });
    await settleNotifications(tx.db, humanId, { state: 'told', keys: told.map(({ key }) => key), now });
    const channels = (await channelsOf(tx.db, humanId, now)).filter(
      ({ isOn, isSignedOut }) => isOn && !isSignedOut,
    );
    const dispatches = channels.flatMap(({ id: channelId, categories }) =>
      messagesFor(told, categories).map((keys) => ({ id: newId('dsp'), channelId, keys })),
    );
    await insertDispatches(tx.db, dispatches, now);
  }
}
