import { existsSync } from 'node:fs';
import { lstat, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { until } from '../../../tests/e2e/start/product-process.ts';
import { type Attack, must, mustAll } from '../attack.ts';
import { type AgentShell, agentShell } from '../support/agent-shell.ts';
import { talkingPair, untilRun } from '../support/chat.ts';

/** From inside a container: what an agent that is a process is tried with in the attacks of the same row. */

const SECRET = 'of another project';
/** The exit code of sh for a program that it does not find. */
const NO_PROGRAM = 127;

/** Each of these must fail in the box. $1: the agent's own folder, $2: that of another project. */
const ESCAPES: Readonly<Record<string, string>> = {
  'its folder moved aside': 'mv "$1" "$1-aside"',
  'its folder exchanged for a link': `ln -s / link-to-root && perl -e 'exit !rename("link-to-root", $ARGV[0])' "$1"`,
  'a folder beside its own': 'mkdir "$(dirname "$1")/beside"',
  'the folder of another project': 'ls "$2"',
  'a file of another project': 'cat "$2/mine"',
  'a file of another project, through a link': 'ln -s "$2/mine" by-link && cat by-link',
  'a hard link to a file of the box': 'ln /etc/passwd hard-link',
  'its folder mounted elsewhere': 'mount --bind "$1" /tmp',
  'its folder unmounted': 'umount "$1"',
  'namespaces of its own': 'unshare --user --map-root-user true',
  'a device of the host': 'mknod disk b 254 0',
};

const folder: Attack = {
  row: 1,
  name: 'from a container: its folder, the folders beside it, and links',
  limitMs: 90_000,
  needs: ['the host', 'runs in containers'],
  pace: 'quiet',
  async run(world) {
    const other = await world.makeProject();
    await writeFile(join(other.folder, 'mine'), SECRET, { mode: 0o644 });
    const project = await world.makeProject();
    const shell = await agentShell(world, { projectId: project.id, folder: project.folder });
    await shell.run('printf "from inside" > kept && ln -s "$1" link', [other.folder]);
    const kept = await readFile(join(project.folder, 'kept'), 'utf8');
    if (kept !== 'from inside') throw new Error('the box does not write to its own folder');
    await mustAll(allRefused(shell, ESCAPES, project.folder, other.folder));
    const status = await world.owner
      .ask('POST', '/projects', { name: 'by link', workingDirectory: join(project.folder, 'link') })
      .then((answer) => answer.status);
    must(status >= 400 && status < 500, `a project in the link that it has planted: ${status}`);
    must((await lstat(project.folder)).isDirectory(), 'its folder is no folder any more on the host');
    must((await readFile(join(other.folder, 'mine'), 'utf8')) === SECRET, 'the other file was changed');
    must(!existsSync(join(dirname(project.folder), 'beside')), 'a folder appeared on the host');
    return `all of ${Object.keys(ESCAPES).length} refused in the box; a project in its link: ${status}`;
  },
};

/** What was not there or did not end was not refused. */
function allRefused(shell: AgentShell, scripts: Readonly<Record<string, string>>, ...args: string[]) {
  const attempt = async (script: string) => {
    const { code, said } = await shell.run(script, args);
    if (code === NO_PROGRAM || code === -1) throw new Error(`${script}: ${said.trim() || 'it did not end'}`);
    must(code !== 0, `it could: ${said.trim() || 'without a word'}`);
  };
  return Object.fromEntries(Object.entries(scripts).map(([name, script]) => [name, () => attempt(script)]));
}

const WAYS: Readonly<Record<string, string>> = {
  background: `sh -c "$1" "$2-child-background" &`,
  setsid: `setsid -f sh -c "$1" "$2-child-setsid"`,
  'double-fork': `(setsid sh -c "$1" "$2-child-double-fork" </dev/null >/dev/null 2>&1 &) &`,
  'without environment': `env -i /usr/bin/setsid -f /bin/sh -c "$1" "$2-child-without environment"`,
};
const LIFE = 'trap "" TERM HUP INT; while :; do sleep 1; done';
const GONE_WITHIN_MS = 10_000;

const descendants: Attack = {
  row: 6,
  name: 'from a container: children that detach themselves',
  limitMs: 90_000,
  needs: ['the host', 'linux', 'runs in containers'],
  pace: 'quiet',
  async run(world) {
    const { machine } = world;
    const project = await world.makeProject();
    const shell = await agentShell(world, { projectId: project.id, folder: project.folder });
    const word = `probe-${world.word()}`;
    for (const way of Object.values(WAYS))
      await shell.run(`exec </dev/null >/dev/null 2>&1\n${way}`, [LIFE, word]);
    const living = async () => {
      const found = await Promise.all(
        Object.keys(WAYS).map(async (way) => ({
          way,
          pids: await machine.processesWith(`${word}-child-${way}`),
        })),
      );
      return found.filter(({ pids }) => pids.length > 0).map(({ way }) => way);
    };
    await until(async () => (await living()).length === Object.keys(WAYS).length, 10_000);
    const run = await untilRun(world, project.id, ({ state }) => state === 'running' || state === 'starting');
    if (!run) throw new Error('there is no run');
    await world.owner.send('POST', `/runs/${run.id}/stop`, {});
    await untilRun(world, project.id, ({ id, state }) => id === run.id && state === 'exited');
    await until(async () => (await living()).length === 0, GONE_WITHIN_MS).catch(() => undefined);
    const left = await living();
    must(left.length === 0, `10 s after the end live: ${left.join(', ')}`);
    return `nothing of ${Object.keys(WAYS).join(', ')} lives 10 s after the end`;
  },
};

/** Each of these must fail in the box. $1: the process of another agent, by its number on the host. */
const READS: Readonly<Record<string, string>> = {
  'the runner of another agent': 'cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep "[r]unner.mjs"',
  'its environment by its number': 'tr "\\0" "\\n" < "/proc/$1/environ" | grep -F AIZUCHI_',
  'its memory by its number': 'exec 3< "/proc/$1/mem"',
  "the engine's socket":
    'find / -xdev -type s 2>/dev/null | grep . || ls /var/run/docker.sock /run/docker.sock',
  'the kernel written to': 'echo x > /proc/sys/kernel/core_pattern',
  'the cgroup written to':
    'echo max > /sys/fs/cgroup/memory.max || echo -1 > /sys/fs/cgroup/memory/memory.limit_in_bytes',
  'privileges by setuid':
    'find / -xdev -perm -4000 -user root -exec {} -c id \\; 2>/dev/null | grep -F "uid=0" || su -c true </dev/null',
  capabilities: 'grep -E "^Cap(Eff|Prm|Bnd|Amb):.*[1-9a-f]" /proc/self/status',
};

const processes: Attack = {
  row: 7,
  name: "from a container: another agent's memory and environment, and what is of the host",
  limitMs: 90_000,
  needs: ['the host', 'linux', 'runs in containers'],
  pace: 'quiet',
  async run(world) {
    const { machine } = world;
    const { projectId, folder: place } = await talkingPair(world);
    const [runner] = await machine.processesWith('runner.mjs');
    if (runner === undefined) throw new Error('the runner was not found');
    const shell = await agentShell(world, { projectId, folder: place });
    await mustAll(allRefused(shell, READS, `${runner}`));
    const secrets = await machine.secrets();
    const { said } = await shell.run('cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"; env');
    must(said.includes('AIZUCHI_'), 'it could not read its own environment, so this says nothing');
    must(
      !secrets.some((secret) => said.includes(secret)),
      'a secret of the product stands in an environment',
    );
    return `all of ${Object.keys(READS).length} refused in the box; no secret in the environment of its processes`;
  },
};

export const inside: readonly Attack[] = [folder, descendants, processes];
