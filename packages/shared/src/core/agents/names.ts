import { type Agent, RESERVED_NAME } from '../../contract/agent.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { isolated } from '../../platform/texts/isolated.ts';
import { AgentQueries, type NameScope } from './agent-queries.ts';
import { isReservedName, type NamedOne } from './rules/reserved.ts';
import { skeletonsOf } from './rules/skeleton.ts';

/**
 * 409 name_taken when an agent or person in `scope` has this name or one that looks like it. Requires
 * `lockNames`. Only new names and memberships are checked: names that older versions accepted stay.
 */
export async function requireFreeName(
  tx: Tx,
  bearer: Pick<Agent, 'id' | 'name'>,
  scope: NameScope,
): Promise<void> {
  const skeletons = skeletonsOf(bearer.name);
  const others = await new AgentQueries(tx.db).namesBeside(bearer.id, scope);
  const taken = others.find((name) => skeletonsOf(name).some((skeleton) => skeletons.includes(skeleton)));
  if (taken === undefined) return;
  throw new AppError(
    'name_taken',
    taken === bearer.name
      ? `Somebody who writes in the same project is called "${isolated(taken)}". Choose another name.`
      : `"${isolated(bearer.name)}" looks like "${isolated(taken)}", who writes in the same project. Choose another name.`,
    { details: { name: bearer.name, taken } },
  );
}

/**
 * 400 in the form of the schema at creation; a change alone does not say to which type of agent the name
 * belongs.
 */
export function requireUnreservedName(bearer: NamedOne): void {
  if (!isReservedName(bearer)) return;
  const { message, params } = RESERVED_NAME;
  throw new AppError('invalid_input', `Not valid: name: ${message}.`, {
    details: { issues: [{ path: 'name', message, ...params }] },
  });
}
