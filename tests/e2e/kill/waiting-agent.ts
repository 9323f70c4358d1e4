/**
 * Takes the pending messages and waits until the test lets it answer: it writes what it was given to `taken-N.json`
 * in its control folder, and answers when the file `answer` exists.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerKey, controlFolder, liveAsAgent } from '../../fixtures/agent-life.ts';
import { untilFile } from '../../fixtures/control-file.ts';

await liveAsAgent('waiting-agent', async (messages, client) => {
  const number = readdirSync(controlFolder).filter((name) => name.startsWith('taken-')).length + 1;
  const given = messages.map(({ id, content, redelivered }) => ({ id, content, redelivered }));
  writeFileSync(join(controlFolder, `taken-${number}.json`), JSON.stringify({ pid: process.pid, given }));
  await untilFile(controlFolder, 'answer', true);
  await client.callUntilAnswered('respond_chat', {
    content: `answer to ${messages.map(({ id }) => id).join(' ')}`,
    idempotency_key: answerKey(messages),
  });
});
