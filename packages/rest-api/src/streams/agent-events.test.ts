import { createLogger } from '@aizuchi/shared/platform/logger';
import { expect, test } from 'vitest';
import { AgentEvents } from './agent-events.ts';

const person = { id: 'agt_ann', name: 'Ann', accessLevel: 'member' } as const;

test('a stream that would begin after the others were ended is refused', async () => {
  const { promise: looked, resolve: look } = Promise.withResolvers<never[]>();
  const events = new AgentEvents({
    vision: { open: () => looked, ended: async () => [] },
    logger: createLogger('test', { level: 'silent' }),
  });
  const query = { agentId: 'agt_a', projectId: 'prj_a' };
  const following = events.follow({ person, identify: async () => person }, query, () => undefined);
  events.close();
  look([]);
  await expect(following).rejects.toMatchObject({ code: 'unavailable' });
});
