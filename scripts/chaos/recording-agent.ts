/**
 * Answers what it is given at once, and writes down each message that it was given, so that the outside can see
 * whether one came twice without saying so.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerKey, controlFolder, liveAsAgent } from '../../tests/fixtures/agent-life.ts';

const record = join(controlFolder, 'given.jsonl');

await liveAsAgent('recording-agent', async (messages, client, { repeat }) => {
  const lines = messages.map(({ id, redelivered }) =>
    JSON.stringify({ id, marked: redelivered ?? repeat ?? false }),
  );
  appendFileSync(record, `${lines.join('\n')}\n`);
  await client.callUntilAnswered('respond_chat', {
    content: `answer to ${messages.map(({ id }) => id).join(' ')}`,
    idempotency_key: answerKey(messages),
  });
});
