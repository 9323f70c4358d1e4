import { execFileSync } from 'node:child_process';
import { link, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { expectInvariants, givenIds } from '../chat/chat-support.ts';
import { makeFolder, removeFolders } from './transcript-support.ts';

/** The faults of a transcript as a person meets them: the chat goes on, the project says what is wrong until it is not. */
let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
  await removeFolders();
});

interface Fault {
  readonly name: string;
  readonly shown: string | null;
  /** Puts it in the way; returns how to take it away. */
  put(file: string, folder: string): Promise<() => Promise<void>>;
}

const faults: Fault[] = [
  {
    name: 'its folder is missing',
    shown: 'folder_missing: ',
    async put(_file, folder) {
      await rename(folder, `${folder}-away`);
      return () => rename(`${folder}-away`, folder);
    },
  },
  {
    name: 'it was replaced by a link',
    shown: 'symlink: ',
    async put(file) {
      await rm(file);
      await symlink(join(await makeFolder(), 'elsewhere'), file);
      return () => rm(file);
    },
  },
  {
    name: 'it was replaced by a FIFO',
    shown: 'not_a_file: ',
    async put(file) {
      await rm(file);
      execFileSync('mkfifo', [file]);
      return () => rm(file);
    },
  },
  {
    name: 'it has a second name',
    shown: 'hard_link: ',
    async put(file, folder) {
      const second = join(folder, 'second');
      await link(file, second);
      return () => rm(second);
    },
  },
  {
    name: 'somebody wrote into it',
    shown: 'altered: ',
    async put(file) {
      await writeFile(file, 'I was here\n');
      return async () => undefined;
    },
  },
  {
    name: 'its last line is torn',
    shown: null,
    async put(file) {
      await truncate(file, 40);
      return async () => undefined;
    },
  },
];

test.each(faults)('$name', async ({ shown, put }) => {
  const membership = await world.agentInProject();
  const post = async (content: string) =>
    (await world.chat.post(world.owner, { ...membership, content })).message;
  const project = () => world.projects.get(world.owner, membership.projectId);
  const { caller } = await world.warmAgent(membership);
  await post('before');
  const { workingDirectory = '' } = await project();
  const file = join(workingDirectory, '.ai-pm', 'agents', membership.agentId, 'chat.jsonl');

  const takeAway = await put(file, workingDirectory);
  const message = await post('meanwhile');
  expect(await givenIds(world, caller)).toContain(message.id);
  await world.delivery.respond(caller, { content: 'answered meanwhile' });
  if (shown === null) expect((await project()).chatLogFault).toBeUndefined();
  else
    expect((await project()).chatLogFault).toMatch(
      new RegExp(`^${shown}\\.ai-pm/agents/${membership.agentId}/`),
    );

  await takeAway();
  await post('afterwards');
  expect(await checkInvariants(world.database)).toEqual([]);
  // An altered file stands aside for somebody to look at: that is shown for a minute.
  if (shown !== 'altered: ') expect((await project()).chatLogFault).toBeUndefined();
  await world.delivery.take(caller);
  await world.delivery.respond(caller, { content: 'answered' });
});
