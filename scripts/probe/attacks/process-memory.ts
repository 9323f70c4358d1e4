import { type Attack, must } from '../attack.ts';
import { talkingPair, untilRun } from '../support/chat.ts';

export const processMemory: readonly Attack[] = [
  {
    row: 7,
    name: "a built-in agent's memory and environment, read by another agent",
    limitMs: 58_000,
    needs: ['root', 'linux', 'runs as processes'],
    pace: 'quiet',
    async run(world) {
      const { machine } = world;
      const { projectId } = await talkingPair(world);
      const run = await untilRun(world, projectId, ({ state, pid }) => state === 'running' && pid !== null);
      if (typeof run?.pid !== 'number') throw new Error('the run says no process');
      const account = await machine.agentsAccount();
      const opened: string[] = [];
      let tried = 0;
      for (const pid of await machine.treeOf(run.pid)) {
        // Only the runner itself holds the ticket, not a shell of the same run.
        if (!/node/.test(await machine.programOf(pid))) continue;
        tried += 1;
        for (const name of ['mem', 'environ', 'fd', 'maps']) {
          const script = name === 'fd' ? 'ls "$1"' : 'exec 3<"$1" && { [ "$2" = mem ] || head -c 1 <&3; }';
          const { code } = await machine.shell(script, [`/proc/${pid}/${name}`, name], account);
          if (code === 0) opened.push(name);
        }
      }
      if (tried === 0) throw new Error('the runner was not found');
      must(opened.length === 0, `the agents' account opens ${opened.join(', ')} of the runner`);
      return 'mem, environ, fd and maps are refused';
    },
  },
];
