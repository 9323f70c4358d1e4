import { z } from 'zod';
import { HOST_PROGRAMS, PROGRAM_STATES } from '../core/agents/rules/host-programs.ts';
import { instantSchema } from './ids.ts';

// For the Coordinator, which knows the contract only.
export { ACP_PROGRAMS, HOST_PROGRAMS, type HostProgramId } from '../core/agents/rules/host-programs.ts';

/** A program for agents on one host. Nothing in it is a secret. */
export const hostProgramSchema = z.object({
  id: z.enum(HOST_PROGRAMS),
  state: z.enum(PROGRAM_STATES),
  version: z.string().max(50).optional(),
  /** Of `too_old`: the oldest one that can be used. */
  needs: z.string().max(50).optional(),
  /** Absent: it cannot be seen without using it. */
  isSignedIn: z.boolean().optional(),
  /** What a person runs on the host to sign it in, as the account of the agents. */
  signIn: z.string().max(1_000).optional(),
});
export type HostProgram = z.infer<typeof hostProgramSchema>;

export const hostProgramListSchema = z.array(hostProgramSchema).max(50);

/** `GET /programs`. */
export const programsOfHostsSchema = z.object({
  hosts: z.array(
    z.object({
      coordinatorId: z.string(),
      host: z.string(),
      /** It has been asked, lives, and has not answered yet. */
      isLooking: z.boolean(),
      /** When it looked; null: it has not, and nothing is known. */
      seenAt: instantSchema.nullable(),
      programs: hostProgramListSchema,
    }),
  ),
});
export type ProgramsOfHosts = z.infer<typeof programsOfHostsSchema>;
