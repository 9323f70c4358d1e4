import { chmod, lstat, mkdir, readdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../../tests/e2e/start/product-process.ts';
import { type Attack, must, NotHere } from '../attack.ts';
import { agentShell } from '../support/agent-shell.ts';
import { idsIn, post, talkingPair } from '../support/chat.ts';

const SECONDS = 5;
const MESSAGES = 50;
/** renameat2; RENAME_EXCHANGE is 2, the current folder -100. */
const CALL_NUMBERS: Readonly<Record<string, number>> = { x64: 316, arm64: 276 };
const LOOP = `my ($n, $s, $a, $b) = @ARGV; my $end = time + $s;
while (time < $end) { syscall($n + 0, -100, $a, -100, $b, 2) for 1 .. 50 }`;

export const exchange: readonly Attack[] = [
  {
    row: 3,
    name: '.ai-pm exchanged with a link in a loop',
    limitMs: 110_000,
    needs: ['the host', 'linux'],
    async run(world) {
      const number = CALL_NUMBERS[process.arch];
      if (number === undefined) throw new NotHere('needs the number of a system call');
      const { machine } = world;
      const membership = await talkingPair(world);
      const outside = join(machine.roots, '..', `outside-${world.word()}`);
      await mkdir(outside);
      await chmod(outside, 0o777);
      const [folder, aside] = [join(membership.folder, '.ai-pm'), join(membership.folder, 'swap')];
      await symlink(outside, aside);
      const agent = await agentShell(world, membership);
      if ((await agent.run('command -v perl')).code !== 0) throw new NotHere('needs perl');
      let isOver = false;
      const loop = agent
        .run('perl -e "$@"', [LOOP, String(number), String(SECONDS), folder, aside])
        .finally(() => {
          isOver = true;
        });
      const ids: string[] = [];
      // As long as the exchange goes on: each message is another chance.
      while (ids.length < MESSAGES || !isOver) ids.push(await post(world, membership, 'A message'));
      const { code, said } = await loop;
      must(code === 0, `the exchange ended with ${code}: ${said}`);
      must((await readdir(outside)).length === 0, `outside appeared: ${(await readdir(outside)).join(', ')}`);
      if ((await lstat(folder).catch(() => undefined))?.isSymbolicLink()) {
        await rename(folder, `${folder}.link`);
        await rename(aside, folder).catch(() => undefined);
      }
      ids.push(await post(world, membership, 'After it'));
      let missing = ids;
      await until(async () => {
        const there = await idsIn(membership.transcript);
        missing = ids.filter((id) => !there.has(id));
        return missing.length === 0;
      }, 30_000).catch(() => undefined);
      must(
        missing.length === 0,
        `nothing outside, but ${missing.length} of ${ids.length} are not in the transcript`,
      );
      must((await readdir(outside)).length === 0, 'it was written outside afterwards');
      return `${ids.length} messages in ${SECONDS} s of exchanges: nothing outside, the transcript complete`;
    },
  },
];
