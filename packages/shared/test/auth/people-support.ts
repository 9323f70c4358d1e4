import type { AccessLevel } from '../../src/contract/agent.ts';
import type { Person } from '../../src/core/access/person.ts';
import type { SignInOrigin } from '../../src/core/auth/sign-in-guard.ts';
import type { ServiceWorld } from '../../src/testing/service-world.ts';

export const ADDRESS = '127.0.0.1';
export const ORIGIN: SignInOrigin = { surface: 'rest', address: ADDRESS };

/** A person, made by the owner; with a passkey when one is given. */
export async function addPerson(
  world: ServiceWorld,
  id: string,
  options: { accessLevel?: AccessLevel; passkey?: string; projects?: readonly string[] } = {},
): Promise<Person> {
  const accessLevel = options.accessLevel ?? 'member';
  await world.agents.create(world.owner, { id, name: id, type: 'human', accessLevel });
  if (options.passkey !== undefined)
    await world.agents.setPasskey(world.owner, id, { passkey: options.passkey });
  for (const projectId of options.projects ?? [])
    await world.projects.putAgent(world.owner, { projectId, agentId: id });
  return { id, name: id, accessLevel };
}

/** Runs all at once; tells how each of them ended: 'ok' or the code of its refusal. */
export async function outcomes(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(calls);
  return settled
    .map((result) => {
      if (result.status === 'fulfilled') return 'ok';
      const { reason } = result;
      return typeof reason === 'object' && reason !== null && 'code' in reason
        ? String(reason.code)
        : String(reason);
    })
    .toSorted();
}

/** What must have been written down while `work` ran: the change events of the change log. */
export async function factsOf(world: ServiceWorld, work: () => Promise<unknown>) {
  const last = await world.database.db
    .selectFrom('changeLog')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst();
  await work();
  return world.database.db
    .selectFrom('changeLog')
    .select(['kind', 'projectId', 'ref'])
    .where('id', '>', last?.id ?? 0)
    .orderBy('id')
    .execute();
}
