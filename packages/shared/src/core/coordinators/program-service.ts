import { type HostProgram, hostProgramListSchema, type ProgramsOfHosts } from '../../contract/programs.ts';
import { type Person, requireOwner } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import { COORDINATOR_SILENT_MS } from './coordinator-alive.ts';
import { requireHolder } from './coordinator-holder.ts';
import { askForPrograms, type ProgramsRow, programsOfHosts, savePrograms } from './program-queries.ts';

/** A look starts processes on the host. */
const LOOK_AGAIN_MS = 10_000;
/** After this time an answer is not waited for any more. */
const LOOK_LIMIT_MS = 30_000;

/** Which programs for agents there are on the hosts. Coordinators look when a person asks. */
export class ProgramService {
  readonly #deps: Pick<ServiceDeps, 'database' | 'clock'>;

  constructor(deps: Pick<ServiceDeps, 'database' | 'clock'>) {
    this.#deps = deps;
  }

  /** @throws AppError forbidden for people who are no owners. */
  async known(person: Person): Promise<ProgramsOfHosts> {
    requireOwner(person);
    const { database, clock } = this.#deps;
    const now = clock.now();
    const rows = await programsOfHosts(database.db, new Date(now.getTime() - COORDINATOR_SILENT_MS));
    return { hosts: rows.map((row) => toHost(row, now)) };
  }

  /** The same, after those who live were asked to look. @throws AppError forbidden for people who are no owners. */
  async look(person: Person): Promise<ProgramsOfHosts> {
    requireOwner(person);
    const now = this.#deps.clock.now();
    await askForPrograms(this.#deps.database.db, {
      now,
      aliveSince: new Date(now.getTime() - COORDINATOR_SILENT_MS),
      unlessSince: new Date(now.getTime() - LOOK_AGAIN_MS),
    });
    return this.known(person);
  }

  /** What a Coordinator found. Idempotent. @throws AppError coordinator_id_taken */
  async report(report: {
    coordinatorId: string;
    instanceId?: string | undefined;
    programs: readonly HostProgram[];
  }): Promise<void> {
    const { database, clock } = this.#deps;
    await database.transaction(async (tx) => {
      await requireHolder(tx.db, report);
      await savePrograms(tx.db, report.coordinatorId, report.programs, clock.now());
    });
  }
}

function toHost({ coordinatorId, host, askedAt, seenAt, programs }: ProgramsRow, now: Date) {
  const isAsked = askedAt !== null && (seenAt === null || seenAt < askedAt);
  return {
    coordinatorId,
    host,
    isLooking: isAsked && now.getTime() - askedAt.getTime() < LOOK_LIMIT_MS,
    seenAt: seenAt?.toISOString() ?? null,
    programs: hostProgramListSchema.catch([]).parse(programs ?? []),
  };
}
