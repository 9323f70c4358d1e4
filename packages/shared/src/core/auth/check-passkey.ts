import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../../platform/db/database.ts';
import { AgentQueries } from '../agents/agent-queries.ts';
import { verifyPasskey } from '../credentials/passkey.ts';
import type { PasskeyTags } from '../credentials/passkey-tags.ts';

/**
 * Longer than scrypt takes on an idle machine: the time of a refusal shows neither whether scrypt ran nor the
 * reason.
 */
const REFUSED_AFTER_MS = 150;

/** Finds the owner of a passkey. The tag is checked first, because it costs nothing, then scrypt. */
export class PasskeyCheck {
  readonly #db: Queryable;
  readonly #tags: PasskeyTags;
  readonly #refusalMs: number;

  constructor(deps: { db: Queryable; tags: PasskeyTags; refusalMs?: number | undefined }) {
    this.#db = deps.db;
    this.#tags = deps.tags;
    this.#refusalMs = deps.refusalMs ?? REFUSED_AFTER_MS;
  }

  /**
   * The id, when it is the passkey of this live agent and the agent has this type; else undefined, after the
   * same time for every reason. @throws AppError rate_limited when too many wait for scrypt.
   */
  async matches(agentId: string, type: 'human' | 'ai', passkey: string): Promise<string | undefined> {
    const startedAt = performance.now();
    if (await this.#isRight(agentId, type, passkey)) return agentId;
    const rest = startedAt + this.#refusalMs - performance.now();
    if (rest > 0) await sleep(rest);
    return undefined;
  }

  async #isRight(agentId: string, type: 'human' | 'ai', passkey: string): Promise<boolean> {
    const agents = new AgentQueries(this.#db);
    const found = await agents.credential(agentId);
    const stored = found?.type === type ? found : undefined;
    if (!this.#tags.mayBeRight(agentId, passkey, stored)) return false;
    const unjudgedOf = stored && !this.#tags.isCurrent(stored) ? agentId : undefined;
    if (!(await verifyPasskey(passkey, stored?.passkeyHash, unjudgedOf))) return false;
    if (stored && !this.#tags.isCurrent(stored)) {
      const { passkeyHash } = stored;
      await agents.renewPasskeyTag(agentId, { passkeyHash, ...this.#tags.make(agentId, passkey) });
    }
    return true;
  }
}
