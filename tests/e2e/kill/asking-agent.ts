/**
 * Asks the person one question about every message, again and again until it is answered, and says what it heard. It
 * remembers nothing: whoever takes its place asks the same.
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
