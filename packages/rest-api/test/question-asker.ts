import type { RequestInput } from '@aizuchi/shared/core/approvals/request-approval';
import { chatOf } from '@aizuchi/shared/core/rules/work-key';
import { newId } from '@aizuchi/shared/platform/ids';
import type { RestWorld } from './rest-world.ts';

/** An agent whose chat a person has opened, and that asks questions and for permissions. */
export async function asker(world: RestWorld, membership: { projectId: string; agentId: string }) {
  const id = newId('ses');
  await world.context.database.db
    .insertInto('agentSessions')
    .values({ id, ...membership, purpose: 'chat', openedBy: 'owner' })
    .execute();
  const caller = {
    ...chatOf(membership),
    sessionId: id,
    live: true,
    sharesFolder: false,
    usesMemory: true,
  } as const;
  return {
    async ask(question: string, more: { multiSelect?: boolean } = {}): Promise<string> {
      const options = ['A', 'B', 'C'].map((label) => ({ label, description: `about ${label}` }));
      const { toolUseId } = await world.context.questions.ask(caller, {
        questions: [{ question, header: 'Choice', options, multiSelect: false, ...more }],
      });
      return toolUseId;
    },
    async request(summary: string, more: Partial<RequestInput> = {}): Promise<string> {
      const { toolUseId } = await world.context.approvals.request(caller, {
        ...{ tool: 'Bash', kind: 'command', summary, input: { command: summary } },
        ...more,
      });
      return toolUseId;
    },
  };
}
