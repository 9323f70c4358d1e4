import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { type Person, requireMember, requireWriterNow } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import type { CardKind } from './card-kind.ts';
import type { CardRecord, DueCard } from './card-queries.ts';
import { giveToSuccessor } from './card-successor.ts';
import { expiresAt, ORPHAN_MS } from './rules/card-machine.ts';

type CardServiceDeps = Pick<ServiceDeps, 'database' | 'clock' | 'settings'>;

/** What the services of questions and of approvals do in the same way. */
export class CardService<Card extends CardRecord> {
  readonly #deps: CardServiceDeps;
  readonly #kind: CardKind<Card>;

  constructor(deps: CardServiceDeps, kind: CardKind<Card>) {
    this.#deps = deps;
    this.#kind = kind;
  }

  /** These cards now; one whose time is over times out, independent of the sweeper. */
  async current(toolUseIds: readonly string[]): Promise<Map<string, Card>> {
    const store = this.#store();
    const cards = await store.findMany(toolUseIds);
    const timeoutMs = await this.timeoutMs();
    const now = this.#deps.clock.now();
    for (const card of cards.values()) {
      const at = card.state === 'pending' ? expiresAt(card, timeoutMs) : null;
      if (at === null || at > now) continue;
      await this.expireOrCancel(card.toolUseId);
      const settled = await store.find(card.toolUseId);
      if (settled) cards.set(card.toolUseId, settled);
    }
    return cards;
  }

  /**
   * Records that the result of a card is about to be offered to this session; `repeat` when an earlier offer was not
   * acknowledged. Null: it has no result, or belongs to another session, or this one is over.
   */
  async offer(sessionId: string, toolUseId: string): Promise<{ card: Card; repeat: boolean } | null> {
    const offered = await this.#store().setOffered(toolUseId, sessionId, this.#deps.clock.now());
    return offered && { card: await this.existing(toolUseId), ...offered };
  }

  /** The response that offered it was written to a live connection. Idempotent. */
  async acknowledged(sessionId: string, toolUseIds: readonly string[]): Promise<void> {
    if (toolUseIds.length > 0)
      await this.#store().setAcknowledged(toolUseIds, sessionId, this.#deps.clock.now());
  }

  /** For a person who may not see its project, and while it queues, the card does not exist. */
  async visible(person: Person, toolUseId: string): Promise<Card> {
    const card = await this.existing(toolUseId);
    if (card.shownAt === null) throw this.#kind.notFound();
    await this.#orNotFound(requireMember(this.#deps.database.db, person, card.projectId));
    return card;
  }

  async #orNotFound(check: Promise<unknown>): Promise<void> {
    try {
      await check;
    } catch (error) {
      if (error instanceof AppError && error.code === 'project_not_found') throw this.#kind.notFound();
      throw error;
    }
  }

  async existing(toolUseId: string): Promise<Card> {
    const card = await this.#store().find(toolUseId);
    if (!card) throw this.#kind.notFound();
    return card;
  }

  /**
   * A person decides: `apply` stores the outcome. False: the card had one already, or its time is over. What
   * was decided after its session had ended is given to the successor.
   */
  async decide(
    found: Card,
    person: Person,
    apply: (tx: Tx, card: Card, now: Date) => Promise<unknown>,
  ): Promise<boolean> {
    const timeoutMs = await this.timeoutMs();
    return this.#deps.database.transaction(async (tx) => {
      await new SessionQueries(tx.db).lockMembership(found.projectId, found.agentId);
      const card = await this.#kind.queries(tx.db).lock(found.toolUseId);
      if (!card) return false;
      // Meanwhile the person may have lost the right.
      await this.#orNotFound(requireWriterNow(tx, person, found.projectId));
      const now = await tx.now();
      // The sweeper has not come yet: the card times out first, and a late answer is refused.
      if (await this.#kind.apply(tx, card, { type: 'expire', timeoutMs }, now)) return false;
      if (!(await apply(tx, card, now))) return false;
      if (card.orphanedAt !== null)
        await giveToSuccessor(tx, this.#kind, card, { decidedBy: person.id, isAsked: false, now });
      return true;
    });
  }

  /** Cards whose time may be over, the oldest first, after the position `after`: for the sweeper. */
  async due(page: { after: DueCard | null; limit: number }): Promise<DueCard[]> {
    const now = this.#deps.clock.now().getTime();
    const timeoutMs = await this.timeoutMs();
    return this.#store().due({
      ...page,
      shownBefore: timeoutMs === 0 ? null : new Date(now - timeoutMs),
      orphanedBefore: new Date(now - ORPHAN_MS),
    });
  }

  /**
   * Times the card out if nobody answered in time, cancels it if no session took it over. True when it did.
   */
  async expireOrCancel(toolUseId: string): Promise<boolean> {
    const timeoutMs = await this.timeoutMs();
    const found = await this.#store().find(toolUseId);
    if (!found) return false;
    return this.#deps.database.transaction(async (tx) => {
      await new SessionQueries(tx.db).lockMembership(found.projectId, found.agentId);
      const card = await this.#kind.queries(tx.db).lock(toolUseId);
      if (!card) return false;
      const now = await tx.now();
      const change =
        (await this.#kind.apply(tx, card, { type: 'expire', timeoutMs }, now)) ??
        (await this.#kind.apply(tx, card, { type: 'orphan_over' }, now));
      return change !== null;
    });
  }

  async timeoutMs(): Promise<number> {
    return (await this.#deps.settings.current()).questionTimeoutSeconds * 1_000;
  }

  #store() {
    return this.#kind.queries(this.#deps.database.db);
  }
}
