import type { WarmChatResult } from '../../contract/chat.ts';
import type { Person } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import type { ChatService } from './chat-service.ts';
import { requireChatTarget } from './chat-target.ts';
import { WarmingQuota } from './quota/warming-quota.ts';
import { decideWarming } from './rules/warming.ts';
import { readWarming } from './warming-queries.ts';

/** Of one person in one project: who moves a pointer over a list starts nothing much. */
const STARTS_PER_MINUTE = 3;

/** Opens a chat that a person may be about to open. */
export class WarmingService {
  readonly #deps: Pick<ServiceDeps, 'database' | 'clock' | 'settings'>;
  readonly #chat: Pick<ChatService, 'start'>;
  readonly #quota = new WarmingQuota(STARTS_PER_MINUTE);

  constructor(deps: Pick<ServiceDeps, 'database' | 'clock' | 'settings'>, chat: Pick<ChatService, 'start'>) {
    this.#deps = deps;
    this.#chat = chat;
  }

  /** The same as opening the chat, without a viewer; or nothing, with the reason. Idempotent. */
  async warm(person: Person, membership: MembershipKey): Promise<WarmChatResult> {
    const { database, clock, settings } = this.#deps;
    await requireChatTarget(database.db, person, membership, 'writes');
    const now = clock.now();
    const [{ warmOnHover: setting }, view] = await Promise.all([
      settings.current(),
      readWarming(database.db, membership, now),
    ]);
    const refusal = view ? decideWarming({ ...view, setting }) : 'off';
    if (refusal !== undefined) return { status: 'refused', reason: refusal };
    const key = `${membership.projectId} ${person.id}`;
    if (!this.#quota.take(key, now.getTime())) return { status: 'refused', reason: 'quota' };
    const { status } = await this.#chat.start(person, membership);
    return { status };
  }
}
