import { chmod, link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { until } from '../../../tests/e2e/start/product-process.ts';
import { type Attack, must } from '../attack.ts';
import { agentShell } from '../support/agent-shell.ts';
import { chatFault, idsIn, post, talkingPair } from '../support/chat.ts';
import type { World } from '../world.ts';

/** Waits until the product has shown a fault or written a file of its own, or until it has had time to do so. */
async function renewedOrShown(
  world: World,
  projectId: string,
  transcript: string,
  id: string,
): Promise<string> {
  const isRenewed = async () =>
    (await idsIn(transcript)).has(id) && ((await stat(transcript)).mode & 0o022) === 0;
  let fault: string | undefined;
  await until(async () => {
    fault = await chatFault(world, projectId);
    return fault !== undefined || (await isRenewed());
  }, 10_000).catch(() => undefined);
  const renewed = await isRenewed();
  must(
    fault !== undefined || renewed,
    'nothing was written through it, but no fault is shown and nothing is renewed',
  );
  return fault === undefined ? 'the transcript was renewed beside it' : `the fault is shown: ${fault}`;
}

const ofAnotherAccount: Attack = {
  row: 2,
  name: "another agent's folder and file in place of .ai-pm",
  limitMs: 90_000,
  needs: ['root', 'linux'],
  async run(world) {
    const membership = await talkingPair(world);
    const agent = await agentShell(world, membership);
    const script = `cd "$1" && umask 0 && mv .ai-pm put-aside && mkdir -p ".ai-pm/agents/$2" && : > ".ai-pm/agents/$2/chat.jsonl"`;
    const { code, said } = await agent.run(script, [membership.folder, membership.agentId]);
    if (code !== 0) return `the agents' account cannot put .ai-pm aside: ${said}`;
    const file = await open(membership.transcript, 'r');
    try {
      const word = world.word();
      const ids = [];
      for (let n = 0; n < 3; n += 1) ids.push(await post(world, membership, `Secret ${word} ${n}`));
      const outcome = await renewedOrShown(
        world,
        membership.projectId,
        membership.transcript,
        ids.at(-1) ?? '',
      ).catch((error: unknown) => String(error));
      const { size } = await file.stat();
      must(
        size === 0,
        `${size} bytes of history stand in the planted file, which everybody may read; ${outcome}`,
      );
      must(!outcome.startsWith('Error'), outcome);
      return `no byte in the planted file; ${outcome}`;
    } finally {
      await file.close();
    }
  },
};

const hardLink: Attack = {
  row: 2,
  name: 'a hard link to a foreign file in place of chat.jsonl',
  limitMs: 90_000,
  needs: ['the host', 'linux'],
  pace: 'quiet',
  async run(world) {
    const membership = await talkingPair(world);
    const victim = join(world.machine.roots, `victim-${world.word()}`);
    await writeFile(victim, 'somebody else’s\n', { mode: 0o600 });
    await rename(membership.transcript, `${membership.transcript}.mine`);
    await link(victim, membership.transcript);
    const id = await post(world, membership, 'Into whose file?');
    const outcome = await renewedOrShown(world, membership.projectId, membership.transcript, id);
    must((await readFile(victim, 'utf8')) === 'somebody else’s\n', 'the foreign file was written to');
    return `the foreign file is as it was; ${outcome}`;
  },
};

const openToOthers: Attack = {
  row: 2,
  name: 'a chat.jsonl that everybody may write',
  limitMs: 90_000,
  needs: ['the host', 'linux'],
  pace: 'quiet',
  async run(world) {
    const membership = await talkingPair(world);
    const folder = dirname(membership.transcript);
    await rm(folder, { recursive: true });
    await mkdir(folder);
    await writeFile(membership.transcript, '');
    await chmod(folder, 0o777);
    await chmod(membership.transcript, 0o666);
    const id = await post(world, membership, 'Who may change this?');
    return renewedOrShown(world, membership.projectId, membership.transcript, id);
  },
};

export const planted: readonly Attack[] = [ofAnotherAccount, hardLink, openToOthers];
