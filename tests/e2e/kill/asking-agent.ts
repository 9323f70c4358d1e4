/**
 * Asks the person one question about every message, repeats it until it is answered, and reports the answer. It keeps
 * no state: a process that takes its place asks the same question.
 */
import { HELD, liveAsAgent } from '../../fixtures/agent-life.ts';

const questions = [
  {
    question: 'Which library?',
    header: 'Library',
    options: [{ label: 'React Query' }, { label: 'SWR' }],
  },
];

await liveAsAgent('asking-agent', async (_messages, client) => {
  let asked = await client.callUntilAnswered('ask_user_question', { questions }, HELD);
  while (asked.status === 'pending')
    asked = await client.callUntilAnswered('ask_user_question', { questions }, HELD);
  await client.callUntilAnswered('respond_chat', { content: JSON.stringify([asked.status, asked.answers]) });
});
