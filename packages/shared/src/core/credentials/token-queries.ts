import { type AccessToken, accessTokenSchema } from '../../contract/auth.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { after, type PageOf, type PageRequest, toPage } from '../../platform/db/page.ts';

export interface NewToken {
  readonly id: string;
  readonly agentId: string;
  readonly kind: 'login' | 'api';
  readonly name: string | null;
  readonly tokenHash: string;
  readonly csrfHash: string | null;
  readonly expiresAt: Date | null;
}

interface SignInCode {
  readonly codeHash: string;
  /** Whom it signs in. */
  readonly agentId: string;
}

/** Bearers of people, and the one-time codes of sign-in links; all stored as digests. */
export class TokenQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async insert(token: NewToken, now: Date): Promise<void> {
    await this.#db
      .insertInto('accessTokens')
      .values({ ...token, createdAt: now })
      .execute();
  }

  /** The live person behind a valid bearer. */
  async findCaller(tokenHash: string, now: Date) {
    return this.#db
      .selectFrom('accessTokens')
      .innerJoin('agents', 'agents.id', 'accessTokens.agentId')
      .select([
        'accessTokens.id as tokenId',
        'accessTokens.csrfHash',
        'accessTokens.expiresAt',
        'accessTokens.lastUsedAt',
        'agents.id',
        'agents.name',
        'agents.accessLevel',
      ])
      .where('accessTokens.tokenHash', '=', tokenHash)
      .where('accessTokens.revokedAt', 'is', null)
      .where((eb) =>
        eb.or([eb('accessTokens.expiresAt', 'is', null), eb('accessTokens.expiresAt', '>', now)]),
      )
      .where('agents.type', '=', 'human')
      .where('agents.deletedAt', 'is', null)
      .executeTakeFirst();
  }

  async markUsed(id: string, now: Date): Promise<void> {
    await this.#db.updateTable('accessTokens').set({ lastUsedAt: now }).where('id', '=', id).execute();
  }

  async listApiTokens(agentId: string, page: PageRequest, now: Date): Promise<PageOf<AccessToken>> {
    const rows = await this.#db
      .selectFrom('accessTokens')
      .select(['id', 'name', 'createdAt', 'expiresAt', 'lastUsedAt'])
      .where('agentId', '=', agentId)
      .where('kind', '=', 'api')
      .where('revokedAt', 'is', null)
      .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
      .where(after('accessTokens', page.cursor))
      .orderBy('createdAt')
      .orderBy('id')
      .limit(page.limit + 1)
      .execute();
    const { rows: shown, nextCursor } = toPage(rows, page.limit);
    return { rows: shown.map(toAccessToken), nextCursor };
  }

  /** Revokes one API token of this person; false when there is none. */
  async revokeApiToken(agentId: string, id: string, now: Date): Promise<boolean> {
    const result = await this.#db
      .updateTable('accessTokens')
      .set({ revokedAt: now })
      .where('id', '=', id)
      .where('agentId', '=', agentId)
      .where('kind', '=', 'api')
      .where('revokedAt', 'is', null)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  /** The person of the revoked token; undefined when it was not valid. */
  async revokeByHash(tokenHash: string, now: Date): Promise<string | undefined> {
    const row = await this.#db
      .updateTable('accessTokens')
      .set({ revokedAt: now })
      .where('tokenHash', '=', tokenHash)
      .where('revokedAt', 'is', null)
      .returning('agentId')
      .executeTakeFirst();
    return row?.agentId;
  }

  /** All logins of a person except one; with `kinds` also the API tokens. */
  async revokeAll(
    agentId: string,
    options: { kinds: readonly NewToken['kind'][]; exceptHash?: string | undefined },
    now: Date,
  ): Promise<void> {
    const { kinds, exceptHash } = options;
    await this.#db
      .updateTable('accessTokens')
      .set({ revokedAt: now })
      .where('agentId', '=', agentId)
      .where('kind', 'in', [...kinds])
      .where('revokedAt', 'is', null)
      .$if(exceptHash !== undefined, (query) => query.where('tokenHash', '<>', exceptHash ?? ''))
      .execute();
  }

  /** Somebody else has taken away the passkey of this person: all by which this one, or a guest of this one, comes in. */
  async endAll(agentId: string, now: Date): Promise<void> {
    await this.revokeAll(agentId, { kinds: ['login', 'api'] }, now);
    await this.dropCodes(agentId);
    await this.#dropUnused('invitedBy', agentId);
  }

  /** `invitedBy`: the owner who has made it; absent: the product itself. */
  async insertCode(
    code: Pick<SignInCode, 'codeHash' | 'agentId'> & {
      readonly expiresAt: Date;
      readonly invitedBy?: string;
    },
  ): Promise<void> {
    await this.#db.insertInto('signInCodes').values(code).execute();
  }

  /** The person whom a code signs in, used or not. */
  async personOfCode(codeHash: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('signInCodes')
      .select('agentId')
      .where('codeHash', '=', codeHash)
      .executeTakeFirst();
    return row?.agentId;
  }

  /** Uses a code of this person, once: of any number of callers exactly one hears true. */
  async useCode({ codeHash, agentId }: SignInCode, now: Date): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('signInCodes')
      .set({ usedAt: now })
      .where('codeHash', '=', codeHash)
      .where('agentId', '=', agentId)
      .where('usedAt', 'is', null)
      .where('expiresAt', '>', now)
      .where((eb) =>
        eb.or([
          eb('invitedBy', 'is', null),
          // Who is no owner any more lets nobody in.
          eb.exists(
            eb
              .selectFrom('agents as inviter')
              .select('inviter.id')
              .whereRef('inviter.id', '=', 'signInCodes.invitedBy')
              .where('inviter.accessLevel', '=', 'owner')
              .where('inviter.deletedAt', 'is', null),
          ),
        ]),
      )
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** Links that the person has not used yet. */
  async dropCodes(agentId: string): Promise<void> {
    await this.#dropUnused('agentId', agentId);
  }

  async #dropUnused(column: 'agentId' | 'invitedBy', agentId: string): Promise<void> {
    await this.#db
      .deleteFrom('signInCodes')
      .where(column, '=', agentId)
      .where('usedAt', 'is', null)
      .execute();
  }

  async pruneCodes(before: Date): Promise<void> {
    await this.#db.deleteFrom('signInCodes').where('expiresAt', '<', before).execute();
  }
}

interface TokenRow {
  readonly id: string;
  readonly name: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

function toAccessToken(row: TokenRow): AccessToken {
  return accessTokenSchema.parse({
    id: row.id,
    name: row.name ?? row.id,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString(),
  });
}
