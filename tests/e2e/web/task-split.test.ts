import { createdAgentSchema } from '@aizuchi/shared/contract/agent';
import { membershipSchema, projectSchema } from '@aizuchi/shared/contract/project';
import { taskPageSchema, taskSchema } from '@aizuchi/shared/contract/task';
import { expect, test } from 'vitest';
import { expectNoViolations } from './support/axe.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();

test('the agent of a task is asked to split it, and a person makes tasks of what it proposes', async () => {
  const { owner } = web;
  const project = await owner.call(projectSchema, 'POST', '/projects', { name: 'Split' });
  const { id: agentId } = await owner.call(createdAgentSchema, 'POST', '/agents', {
    name: 'Splitter',
    type: 'ai',
  });
  await owner.call(membershipSchema, 'PUT', `/projects/${project.id}/agents/${agentId}`);
  const task = await owner.call(taskSchema, 'POST', `/projects/${project.id}/tasks`, {
    title: 'Move house',
    description: '1. Pack\n2. Carry\n3. Unpack',
    assigneeId: agentId,
  });
  const page = await web.signedIn({ locale: 'en', path: `/projects/${project.id}?task=${task.id}` });
  await page.getByTestId('task-ask-split').click();
  const card = page.getByTestId('proposal-card');
  await card.getByText('Splitter proposes 3 parts').waitFor();
  await page.goto('/inbox');
  const item = page.getByTestId(`inbox-item-${task.id}`);
  await item.getByTestId('proposal-part-2').uncheck();
  await item.getByTestId('proposal-title-3').fill('Open the boxes');
  await expectNoViolations(page);
  await item.getByTestId('proposal-accept').click();
  await item.waitFor({ state: 'detached' });
  const { tasks } = await owner.call(
    taskPageSchema,
    'GET',
    `/projects/${project.id}/tasks?parentId=${task.id}`,
  );
  expect(tasks).toMatchObject([
    { title: 'Pack', status: 'todo' },
    { title: 'Open the boxes', dependsOn: [tasks[0]?.id] },
  ]);
  await page.goto(`/projects/${project.id}?task=${task.id}`);
  await page.getByTestId('task-parts').getByText('Open the boxes').waitFor();
  await expect.poll(() => card.count()).toBe(0);
});
