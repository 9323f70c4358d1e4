import { keys } from '../changes/keys.ts';
import type { Clock } from '../clock.ts';
import type { Agent } from '../contract/agent.ts';
import type { AccessTokenPage, CreatedToken, CreateTokenBody, LoginBody } from '../contract/auth.ts';
import type { PageQuery } from '../contract/page.ts';
import type { Database } from '../db/database.ts';
import { AgentRepository } from '../db/repositories/agent-repository.ts';
import { TokenRepository } from '../db/repositories/token-repository.ts';
import { AppError } from '../errors.ts';
import { newId, newSecret } from '../ids.ts';
import { hashToken } from '../token-hash.ts';
import { agentView } from './agent-view.ts';
import { appendAudit } from './audit.ts';
import { CallerCache } from './caller-cache.ts';
import { hashPasskey, verifyPasskey } from './passkey.ts';
import type { Person } from './person.ts';
import { SignInDelay, type Sleep } from './sign-in-delay.ts';

const DAY_MS = 86_400_000;
const LOGIN_MS = 30 * DAY_MS;
const LAST_USED_STEP_MS = 60_000;

export interface AuthServiceDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** For tests: how an attempt is held. */
  readonly sleep?: Sleep;
}

export interface SignedIn {
  readonly token: string;
  readonly csrf: string;
  readonly agent: Agent;
  readonly person: Person;
  /** ISO-8601. */
  readonly expiresAt: string;
}

export class AuthService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #delay: SignInDelay;
  readonly #callers: CallerCache;

  constructor(deps: AuthServiceDeps) {
    this.#database = deps.database;
    this.#clock = deps.clock;
    this.#delay = new SignInDelay({ db: deps.database.db, clock: deps.clock, sleep: deps.sleep });
    this.#callers = new CallerCache(deps.clock);
  }

  /** By passkey or by the code of a sign-in link; every failure is the same `unauthenticated`. */
  async login(body: LoginBody, address: string): Promise<SignedIn> {
    const agentId =
      'code' in body ? await this.#useCode(body.code) : await this.#personByPasskey(body, address);
    if (agentId === undefined) throw signInRefused();
    return this.#database.transaction(async (tx) => {
      const agent = await new AgentRepository(tx.db).lock(agentId);
      if (agent?.accessLevel === undefined) throw signInRefused();
      const now = this.#clock.now();
      const [token, csrf, expiresAt] = [newSecret(), newSecret(), new Date(now.getTime() + LOGIN_MS)];
      await new TokenRepository(tx.db).insert(
        {
          id: newId('tok'),
          agentId,
          kind: 'login',
          name: null,
          tokenHash: hashToken(token),
          csrfHash: hashToken(csrf),
          expiresAt,
        },
        now,
      );
      await appendAudit(tx.db, { actorId: agentId, action: 'sign_in.succeeded' });
      const person = { id: agent.id, name: agent.name, accessLevel: agent.accessLevel };
      return { token, csrf, agent: agentView(person, agent), person, expiresAt: expiresAt.toISOString() };
    });
  }

  /**
   * The person behind a bearer; with `csrf` (a cookie's header, '' when it was missing) only of a login whose
   * CSRF value it is. Remembered for at most 2 s and forgotten at once when rights change.
   */
  async identify(token: string, csrf?: string): Promise<Person> {
    const tokenHash = hashToken(token);
    const caller = this.#callers.get(tokenHash) ?? (await this.#readCaller(tokenHash));
    if (!caller || (csrf !== undefined && hashToken(csrf) !== caller.csrfHash)) throw notSignedIn();
    return caller.person;
  }

  /** Idempotent. */
  async logout(token: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const agentId = await new TokenRepository(tx.db).revokeByHash(hashToken(token), this.#clock.now());
      if (agentId === undefined) return;
      tx.dirty(keys.caller(agentId));
      tx.afterCommit(() => this.#callers.forget(agentId));
    });
  }

  /** What `/auth/me` answers. */
  async me(person: Person): Promise<Agent> {
    const agent = await new AgentRepository(this.#database.db).find(person.id);
    if (!agent) throw notSignedIn();
    return agentView(person, agent);
  }

  /**
   * Refuses a wrong current passkey as `unauthenticated`, with the same growing delay as a login. With
   * `keepToken` (the caller's own) all other logins of the person end.
   */
  async changePasskey(person: Person, current: string, next: string, keepToken?: string): Promise<void> {
    const right = await this.#delay.attempt(person.id, 'passkey-change', () =>
      this.#matches(person.id, current),
    );
    if (right === undefined) throw new AppError('unauthenticated', 'The current passkey is not right.');
    const hash = await hashPasskey(next);
    await this.#database.transaction(async (tx) => {
      const agents = new AgentRepository(tx.db);
      if (!(await agents.lock(person.id))) throw notSignedIn();
      const now = this.#clock.now();
      await agents.setPasskeyHash(person.id, hash, now);
      if (keepToken !== undefined) {
        const options = { kinds: ['login'] as const, exceptHash: hashToken(keepToken) };
        await new TokenRepository(tx.db).revokeAll(person.id, options, now);
      }
      await appendAudit(tx.db, { actorId: person.id, action: 'passkey.set', targetId: person.id });
      tx.dirty(keys.caller(person.id));
      tx.afterCommit(() => this.#callers.forget(person.id));
    });
  }

  async listTokens(person: Person, page: PageQuery): Promise<AccessTokenPage> {
    const { rows, nextCursor } = await new TokenRepository(this.#database.db).listApiTokens(
      person.id,
      page,
      this.#clock.now(),
    );
    return { tokens: rows, nextCursor };
  }

  /** The answer is the only place where the token itself ever stands. */
  async createToken(person: Person, body: CreateTokenBody): Promise<CreatedToken> {
    const now = this.#clock.now();
    const expiresAt =
      body.expiresInDays === undefined ? null : new Date(now.getTime() + body.expiresInDays * DAY_MS);
    const [id, token] = [newId('tok'), newSecret()];
    await this.#database.transaction(async (tx) => {
      await new TokenRepository(tx.db).insert(
        {
          id,
          agentId: person.id,
          kind: 'api',
          name: body.name,
          tokenHash: hashToken(token),
          csrfHash: null,
          expiresAt,
        },
        now,
      );
      await appendAudit(tx.db, { actorId: person.id, action: 'token.created', targetId: id });
    });
    return {
      id,
      name: body.name,
      createdAt: now.toISOString(),
      ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
      token,
    };
  }

  async deleteToken(person: Person, tokenId: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      if (!(await new TokenRepository(tx.db).revokeApiToken(person.id, tokenId, this.#clock.now())))
        throw new AppError('token_not_found', 'You have no such token.');
      await appendAudit(tx.db, { actorId: person.id, action: 'token.revoked', targetId: tokenId });
      tx.dirty(keys.caller(person.id));
      tx.afterCommit(() => this.#callers.forget(person.id));
    });
  }

  /**
   * For MCP's authenticate: the id of the live AI agent whose passkey this is, after the same growing delay as a
   * login; undefined for every failure, in the same time. Throws only rate_limited.
   */
  async verifyAgentPasskey(agentId: string, passkey: string, address: string): Promise<string | undefined> {
    return this.#delay.attempt(agentId, address, async () => {
      const id = await this.#matches(agentId, passkey);
      return (await this.#typeOf(agentId)) === 'ai' ? id : undefined;
    });
  }

  /** For the process's listener. Hints that got lost need nothing here: what is remembered is two seconds old at most. */
  onKeys(dirty: readonly string[]): void {
    for (const key of dirty) {
      if (key.startsWith(CALLER_PREFIX)) this.#callers.forget(key.slice(CALLER_PREFIX.length));
    }
  }

  async #personByPasskey(
    body: { agentId: string; passkey: string },
    address: string,
  ): Promise<string | undefined> {
    return this.#delay.attempt(body.agentId, address, async () => {
      const id = await this.#matches(body.agentId, body.passkey);
      return (await this.#typeOf(body.agentId)) === 'human' ? id : undefined;
    });
  }

  async #matches(agentId: string, passkey: string): Promise<string | undefined> {
    const hash = await new AgentRepository(this.#database.db).passkeyHash(agentId);
    return (await verifyPasskey(passkey, hash)) ? agentId : undefined;
  }

  async #typeOf(agentId: string): Promise<Agent['type'] | undefined> {
    return (await new AgentRepository(this.#database.db).find(agentId))?.type;
  }

  async #useCode(code: string): Promise<string | undefined> {
    return new TokenRepository(this.#database.db).useCode(hashToken(code), this.#clock.now());
  }

  async #readCaller(tokenHash: string) {
    const ticket = this.#callers.ticket();
    const now = this.#clock.now();
    const tokens = new TokenRepository(this.#database.db);
    const row = await tokens.findCaller(tokenHash, now);
    if (!row) return undefined;
    if (row.lastUsedAt === null || now.getTime() - row.lastUsedAt.getTime() > LAST_USED_STEP_MS)
      await tokens.markUsed(row.tokenId, now);
    // The column's check constraint: a person has a level.
    const accessLevel =
      row.accessLevel === 'owner' || row.accessLevel === 'member' ? row.accessLevel : 'viewer';
    const caller = {
      person: { id: row.id, name: row.name, accessLevel },
      csrfHash: row.csrfHash,
      expiresAt: row.expiresAt,
    } as const;
    this.#callers.put(tokenHash, caller, ticket);
    return caller;
  }
}

const CALLER_PREFIX = keys.caller('');

function signInRefused(): AppError {
  return new AppError('unauthenticated', 'The sign-in was refused. Check the name and the passkey or link.');
}

function notSignedIn(): AppError {
  return new AppError('unauthenticated', 'Sign in first: the token is missing, wrong or has expired.');
}
