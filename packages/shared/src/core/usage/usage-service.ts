import type {
  AgentUsageQuery,
  AgentUsageReport,
  Usage,
  UsageQuery,
  UsageReport,
} from '../../contract/usage.ts';
import { AppError } from '../../platform/errors.ts';
import { type Person, requireMember } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import { dayOf, endOfDay } from './rules/local-day.ts';
import { decideUsageRange, MAX_DAYS, type UsageRange } from './rules/usage-range.ts';
import { type CountedUsage, sumAgentUsage, sumUsage } from './usage-queries.ts';

/** What the agents of a project have used. */
export class UsageService {
  readonly #deps: Pick<ServiceDeps, 'database' | 'clock' | 'config'>;

  constructor(deps: Pick<ServiceDeps, 'database' | 'clock' | 'config'>) {
    this.#deps = deps;
  }

  /** Members of the project may read it. @throws AppError invalid_input for a range that is none. */
  async ofProject(person: Person, projectId: string, query: UsageQuery): Promise<UsageReport> {
    const { database } = this.#deps;
    const range = rangeOf(this.#deps, query);
    await requireMember(database.db, person, projectId);
    return { usage: await sumUsage(database.db, { projectId, by: query.by, ...range }) };
  }

  /**
   * Of the projects that the person may see. The person must be known to see the agent.
   *
   * @throws AppError invalid_input for a range that is none.
   */
  async ofAgent(person: Person, agentId: string, query: AgentUsageQuery): Promise<AgentUsageReport> {
    const { database, clock, config } = this.#deps;
    const range = rangeOf(this.#deps, query);
    const seenBy = person.accessLevel === 'owner' ? undefined : person.id;
    const now = clock.now();
    return {
      ...range,
      today: dayOf(now, config.timeZone),
      todayEndsAt: endOfDay(now, config.timeZone).toISOString(),
      usage: await sumAgentUsage(database.db, { agentId, seenBy, by: query.by, ...range }),
    };
  }
}

function rangeOf(
  { clock, config }: Pick<ServiceDeps, 'clock' | 'config'>,
  query: Pick<UsageQuery, 'from' | 'to'>,
): UsageRange {
  const decision = decideUsageRange(query, { now: clock.now(), timeZone: config.timeZone });
  if (!decision.ok) throw new AppError('invalid_input', REFUSALS[decision.refusal]);
  return decision.range;
}

const REFUSALS = {
  ends_before_it_begins: 'from, to: the range ends before it begins.',
  too_long: `from, to: at most ${MAX_DAYS} days.`,
} as const;

/** An answer of now, as it is counted; undefined: its cost is not known. */
export function countedNow(
  { clock, config }: Pick<ServiceDeps, 'clock' | 'config'>,
  { usage, model }: { usage?: Usage | undefined; model?: string | undefined },
): CountedUsage | undefined {
  if (!usage) return undefined;
  const now = clock.now();
  const { timeZone } = config;
  return { usage, model: model ?? null, day: dayOf(now, timeZone), endsAt: endOfDay(now, timeZone) };
}
