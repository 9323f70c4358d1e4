import type { HostProgram, ProgramsOfHosts } from '@aizuchi/shared/contract/programs';
import {
  bestHost,
  fitnessOf,
  type HostProgramId,
  type ProgramFitness,
} from '@aizuchi/shared/core/agents/rules/host-programs';

/** What can be said of a program on the hosts. `unknown`: some host has not looked, so it may be there. */
export type ProgramStatus =
  | { readonly kind: 'no_host' | 'looking' | 'unknown' }
  | {
      readonly kind: 'known';
      readonly fitness: ProgramFitness;
      readonly host: string;
      readonly program: HostProgram;
    };

/** Of the host that is nearest to running it. Undefined: nothing was read yet. */
export function statusOf(known: ProgramsOfHosts | undefined, id: HostProgramId): ProgramStatus | undefined {
  if (!known) return undefined;
  if (known.hosts.length === 0) return { kind: 'no_host' };
  const seen = known.hosts.flatMap(({ host, programs }) =>
    programs.filter((program) => program.id === id).map((program) => ({ host, program })),
  );
  const best = bestHost(seen);
  const fitness = best && fitnessOf(best.program);
  if (best && fitness && fitness !== 'not_found') return { kind: 'known', fitness, ...best };
  if (known.hosts.some((host) => host.isLooking)) return { kind: 'looking' };
  if (!best || seen.length < known.hosts.length) return { kind: 'unknown' };
  return { kind: 'known', fitness: 'not_found', ...best };
}
