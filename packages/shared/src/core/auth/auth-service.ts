import type { Agent } from '../../contract/agent.ts';
import type { AccessTokenPage, CreatedToken, CreateTokenBody, LoginBody } from '../../contract/auth.ts';
import type { PageQuery } from '../../contract/page.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId, newSecret } from '../../platform/ids.ts';
import { hashToken } from '../../platform/token-hash.ts';
import { appendAudit } from '../access/audit-queries.ts';
import type { Person } from '../access/person.ts';
import { AgentQueries } from '../agents/agent-queries.ts';
import { agentView } from '../agents/agent-view.ts';
import { hashPasskey } from '../credentials/passkey.ts';
import type { PasskeyTags } from '../credentials/passkey-tags.ts';
import { TokenQueries } from '../credentials/token-queries.ts';
import { CallerCache } from './caller-cache.ts';
import { PasskeyCheck } from './check-passkey.ts';
import type { DeviceMarks } from './device-marks.ts';
import type { Sleep } from './sign-in-delay.ts';
import { knownLane, SignInGuard, type SignInOrigin } from './sign-in-guard.ts';

const DAY_MS = 86_400_000;
const LOGIN_MS = 30 * DAY_MS;
const LAST_USED_STEP_MS = 60_000;

export interface AuthServiceDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly passkeyTags: PasskeyTags;
  readonly deviceMarks: DeviceMarks;
  /** For tests: the parameters by which an attempt is held. */
  readonly sleep?: Sleep;
  /** For tests: the minimum duration of a refusal. */
  readonly refusalMs?: number;
}

export interface SignedIn {
  readonly token: string;
  readonly csrf: string;
  readonly agent: Agent;
  readonly person: Person;
  /** ISO-8601. */
  readonly expiresAt: string;
  /** A value that the browser keeps; absent where there is no passkey that it could try. */
  readonly device?: string;
}

export class AuthService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #guard: SignInGuard;
  readonly #passkeys: PasskeyCheck;
  readonly #tags: PasskeyTags;
  readonly #devices: DeviceMarks;
  readonly #callers: CallerCache;

  constructor(deps: AuthServiceDeps) {
    this.#database = deps.database;
    this.#clock = deps.clock;
    const { db } = deps.database;
    this.#guard = new SignInGuard({ db, clock: deps.clock, sleep: deps.sleep });
    this.#passkeys = new PasskeyCheck({ db, tags: deps.passkeyTags, refusalMs: deps.refusalMs });
    this.#tags = deps.passkeyTags;
    this.#devices = deps.deviceMarks;
    this.#callers = new CallerCache(deps.clock);
  }

  /**
   * Signs in by passkey or by the code of a sign-in link; every failure is the same `unauthenticated`. An
   * attempt is held after failures, but a right passkey is answered within five seconds. @throws AppError
   * rate_limited when too many attempts wait already.
   */
  async login(body: LoginBody, origin: SignInOrigin): Promise<SignedIn> {
    const signedIn =
      'code' in body
        ? await this.#guard.code(origin, () => this.#signInByCode(body.code, origin))
        : await this.#signInByPasskey(body, origin);
    if (signedIn === undefined) throw signInRefused();
    return signedIn;
  }

  /**
   * The person behind a bearer; with `csrf` (the header of a cookie's request, '' when it is missing) only of
   * a login with this CSRF value. Cached for at most 2 s and removed at once when rights change.
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
      const agentId = await new TokenQueries(tx.db).revokeByHash(hashToken(token), this.#clock.now());
      if (agentId === undefined) return;
      tx.dirty(keys.caller(agentId));
      tx.afterCommit(() => this.#callers.forget(agentId));
    });
  }

  /** The answer of `/auth/me`. */
  async me(person: Person): Promise<Agent> {
    const agent = await new AgentQueries(this.#database.db).find(person.id);
    if (!agent) throw notSignedIn();
    return agentView(person, agent);
  }

  /**
   * Refuses a wrong current passkey, or none where there is one, as `unauthenticated`; after failures in a row the next attempt is held,
   * up to 30 s. With `keepToken` (the caller's own) all other logins of the person end; API tokens stay.
   * Links that were not used are void. Returns the new device cookie of this browser; those of all other browsers become invalid.
   */
  async changePasskey(
    person: Person,
    current: string | undefined,
    next: string,
    keepToken?: string,
  ): Promise<{ device: string }> {
    if (current !== undefined) {
      const right = await this.#guard.known(knownLane(person.id, 'passkey-change'), () =>
        this.#passkeys.matches(person.id, 'human', current),
      );
      if (right === undefined) throw currentIsWrong();
    }
    const passkey = { passkeyHash: await hashPasskey(next), ...this.#tags.make(person.id, next) };
    await this.#database.transaction(async (tx) => {
      const agents = new AgentQueries(tx.db);
      if (!(await agents.lock(person.id))) throw notSignedIn();
      // Only the first passkey needs none before it.
      if (current === undefined && (await agents.credential(person.id))) throw currentIsWrong();
      const now = this.#clock.now();
      await agents.setPasskey(person.id, passkey, now);
      await new TokenQueries(tx.db).dropCodes(person.id);
      if (keepToken !== undefined) {
        const options = { kinds: ['login'] as const, exceptHash: hashToken(keepToken) };
        await new TokenQueries(tx.db).revokeAll(person.id, options, now);
      }
      await appendAudit(tx.db, { actorId: person.id, action: 'passkey.set', targetId: person.id });
      tx.dirty(keys.caller(person.id));
      tx.afterCommit(() => this.#callers.forget(person.id));
    });
    return { device: this.#devices.make(person.id, passkey.passkeyHash) };
  }

  async listTokens(person: Person, page: PageQuery): Promise<AccessTokenPage> {
    const { rows, nextCursor } = await new TokenQueries(this.#database.db).listApiTokens(
      person.id,
      page,
      this.#clock.now(),
    );
    return { tokens: rows, nextCursor };
  }

  /** This answer is the only place where the token itself appears. */
  async createToken(person: Person, body: CreateTokenBody): Promise<CreatedToken> {
    const now = this.#clock.now();
    const expiresAt =
      body.expiresInDays === undefined ? null : new Date(now.getTime() + body.expiresInDays * DAY_MS);
    const [id, token] = [newId('tok'), newSecret()];
    await this.#database.transaction(async (tx) => {
      await new TokenQueries(tx.db).insert(
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
      if (!(await new TokenQueries(tx.db).revokeApiToken(person.id, tokenId, this.#clock.now())))
        throw new AppError('token_not_found', 'You have no such token.');
      await appendAudit(tx.db, { actorId: person.id, action: 'token.revoked', targetId: tokenId });
      tx.dirty(keys.caller(person.id));
      tx.afterCommit(() => this.#callers.forget(person.id));
    });
  }

  /**
   * For MCP's authenticate: the id of the live AI agent with this passkey, held as a login is; undefined for
   * every failure, after the same time. Throws only rate_limited.
   */
  async verifyAgentPasskey(
    agentId: string,
    passkey: string,
    from: Pick<SignInOrigin, 'address' | 'signal'>,
  ): Promise<string | undefined> {
    return this.#guard.stranger(agentId, { ...from, surface: 'mcp' }, () =>
      this.#passkeys.matches(agentId, 'ai', passkey),
    );
  }

  /**
   * For the listener of the process. Lost hints need no repair here: a cached entry is at most two seconds
   * old.
   */
  onKeys(dirty: readonly string[]): void {
    for (const key of dirty) {
      if (key.startsWith(CALLER_PREFIX)) this.#callers.forget(key.slice(CALLER_PREFIX.length));
    }
  }

  async #personByPasskey(
    { agentId, passkey }: { agentId: string; passkey: string },
    origin: SignInOrigin,
  ): Promise<string | undefined> {
    const check = () => this.#passkeys.matches(agentId, 'human', passkey);
    const lane = origin.device === undefined ? undefined : await this.#laneOf(agentId, origin.device);
    return lane
      ? this.#guard.known(lane, check, origin.signal)
      : this.#guard.stranger(agentId, origin, check);
  }

  async #laneOf(agentId: string, device: string) {
    const stored = await new AgentQueries(this.#database.db).credential(agentId);
    const nonce = stored && this.#devices.nonceOf(device, agentId, stored.passkeyHash);
    return nonce === undefined ? undefined : this.#guard.deviceLane(agentId, nonce);
  }

  /** The device cookie that the browser has, if it is still valid: its failures stay counted. */
  #deviceOf(agentId: string, stored: { passkeyHash: string } | undefined, device: string | undefined) {
    if (!stored) return undefined;
    const isGood =
      device !== undefined && this.#devices.nonceOf(device, agentId, stored.passkeyHash) !== undefined;
    return isGood ? device : this.#devices.make(agentId, stored.passkeyHash);
  }

  async #signInByPasskey(
    body: { agentId: string; passkey: string },
    origin: SignInOrigin,
  ): Promise<SignedIn | undefined> {
    const agentId = await this.#personByPasskey(body, origin);
    return agentId === undefined ? undefined : this.#signIn(agentId, origin);
  }

  async #signInByCode(code: string, origin: SignInOrigin): Promise<SignedIn | undefined> {
    const codeHash = hashToken(code);
    const agentId = await new TokenQueries(this.#database.db).personOfCode(codeHash);
    return agentId === undefined ? undefined : this.#signIn(agentId, origin, codeHash);
  }

  /**
   * Undefined: there is no such person, or the code is used, over or void. It is used in the transaction of the sign-in:
   * what ends the codes and sign-ins of a person, under the same lock, ends one or the other.
   */
  async #signIn(agentId: string, origin: SignInOrigin, codeHash?: string): Promise<SignedIn | undefined> {
    return this.#database.transaction(async (tx) => {
      const agents = new AgentQueries(tx.db);
      const tokens = new TokenQueries(tx.db);
      const agent = await agents.lock(agentId);
      if (agent?.accessLevel === undefined) return undefined;
      const now = this.#clock.now();
      if (codeHash !== undefined && !(await tokens.useCode({ codeHash, agentId }, now))) return undefined;
      const device = this.#deviceOf(agentId, await agents.credential(agentId), origin.device);
      const [token, csrf, expiresAt] = [newSecret(), newSecret(), new Date(now.getTime() + LOGIN_MS)];
      await tokens.insert(
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
      return {
        token,
        csrf,
        agent: agentView(person, agent),
        person,
        expiresAt: expiresAt.toISOString(),
        ...(device !== undefined && { device }),
      };
    });
  }

  async #readCaller(tokenHash: string) {
    const ticket = this.#callers.ticket();
    const now = this.#clock.now();
    const tokens = new TokenQueries(this.#database.db);
    const row = await tokens.findCaller(tokenHash, now);
    if (!row) return undefined;
    if (row.lastUsedAt === null || now.getTime() - row.lastUsedAt.getTime() > LAST_USED_STEP_MS)
      await tokens.markUsed(row.tokenId, now);
    // The check constraint of the column: a person has a level.
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

function currentIsWrong(): AppError {
  return new AppError('unauthenticated', 'The current passkey is not right.');
}

function notSignedIn(): AppError {
  return new AppError('unauthenticated', 'Sign in first: the token is missing, wrong or has expired.');
}
