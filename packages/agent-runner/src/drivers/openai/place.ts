import type { ToolOutput } from '@aizuchi/shared/contract/tools/tools';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import type { SessionOptions } from '../../driver.ts';

type Member = ToolOutput<'list_project_agents'>['agents'][number];

/** Where the agent works, as it was when the session was opened. */
export interface Place {
  readonly role?: string | undefined;
  readonly project?: { readonly name: string; readonly description?: string | undefined };
  readonly members: readonly Member[];
}

/** Asks the server, not the model. */
export async function readPlace({ tools, log }: Pick<SessionOptions, 'tools' | 'log'>): Promise<Place> {
  try {
    const [{ role, project }, { agents }] = await Promise.all([
      tools.call('get_my_profile', {}),
      tools.call('list_project_agents', {}),
    ]);
    return { role, project, members: agents };
  } catch (error) {
    // The session has ended: the next action says so. An answer without it is better than none.
    if (!(error instanceof ToolRefused)) throw error;
    log(`the project is not known: ${error.code}`);
    return { members: [] };
  }
}

export function peopleOf({ members }: Place): readonly Member[] {
  return members.filter(({ type }) => type === 'human');
}
