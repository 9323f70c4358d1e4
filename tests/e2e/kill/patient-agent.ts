/**
 * Takes what is pending, and then waits until the test lets it answer: `taken-N.json` in its control folder says what
 * it was given, `answer` lets it go on.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerKey, controlFolder, liveAsAgent } from '../../fixtures/agent-life.ts';
import { untilFile } from '../../fixtures/control-file.ts';

await liveAsAgent('patient-agent', async (messages, client) => {
  const number = readdirSync(controlFolder).filter((name) => name.startsWith('taken-')).length + 1;
  const given = messages.map(({ id, content, redelivered }) => ({ id, content, redelivered }));
  writeFileSync(join(controlFolder, `taken-${number}.json`), JSON.stringify({ pid: process.pid, given }));
  await untilFile(controlFolder, 'answer', true);
  await client.callUntilAnswered('respond_chat', {
    content: `answer to ${messages.map(({ id }) => id).join(' ')}`,
    idempotency_key: answerKey(messages),
  });
});
