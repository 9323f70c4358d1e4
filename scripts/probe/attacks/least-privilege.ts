import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { databaseUrlOf, until } from '../../../tests/e2e/start/product-process.ts';
import { type Attack, must } from '../attack.ts';
import type { Host } from '../host.ts';
import { post } from '../support/chat.ts';
import { doctor } from '../support/doctor.ts';

const role: Attack = {
  row: 19,
  name: 'what the database role of the services may do',
  limitMs: 20_000,
  needs: ['the host'],
  pace: 'quiet',
  async run(world) {
    const client = new pg.Client({ connectionString: await databaseUrlOf(world.machine.home) });
    await client.connect();
    try {
      const { rows } = await client.query<{ name: string; powers: string }>(
        `select distinct r.rolname as name, concat_ws(', ', case when r.rolsuper then 'superuser' end,
           case when r.rolcreaterole then 'createrole' end, case when r.rolreplication then 'replication' end,
           case when r.rolbypassrls then 'bypassrls' end) as powers
         from pg_stat_activity a join pg_roles r on r.rolname = a.usename
         where a.backend_type = 'client backend' and a.pid <> pg_backend_pid()`,
      );
      if (rows.length === 0) throw new Error('no service is connected');
      const strong = rows.filter(({ powers }) => powers !== '');
      must(
        strong.length === 0,
        strong.map(({ name, powers }) => `the services come as ${name}: ${powers}`).join('; '),
      );
      return `the services come as ${rows.map(({ name }) => name).join(', ')}: no superuser`;
    } finally {
      await client.end();
    }
  },
};

const environment: Attack = {
  row: 19,
  name: 'the environment of the services, read by an agent',
  limitMs: 40_000,
  needs: ['the host', 'linux'],
  pace: 'quiet',
  async run(world) {
    const { machine } = world;
    const account = world.isRoot ? await machine.agentsAccount() : undefined;
    const secrets = await machine.secrets();
    const open: string[] = [];
    const telling: string[] = [];
    for (const { name, pid } of await machine.services()) {
      const { code, said } = await machine.shell('tr "\\0" "\\n" < "$1"', [`/proc/${pid}/environ`], account);
      if (code !== 0) continue;
      open.push(name);
      if (secrets.some((secret) => said.includes(secret))) telling.push(name);
    }
    if (open.length === 0) return 'refused';
    must(account === undefined, `the agents' account reads the environment of ${open.join(', ')}`);
    if (telling.length === 0) return 'an agent can read it (the same account), and no secret stands in it';
    const line = (await doctor(machine.home))
      .split('\n')
      .find((text) => /environ|secret/i.test(text) && /agent/i.test(text));
    must(line !== undefined, `secrets stand in it for ${telling.join(', ')}, and doctor does not say so`);
    return `secrets stand in it for ${telling.join(', ')}; doctor says so: ${line}`;
  },
};

const descriptors: Attack = {
  row: 19,
  name: 'open files that an agent inherits',
  limitMs: 50_000,
  needs: ['the host', 'linux'],
  pace: 'quiet',
  async run(world) {
    // ls is a process of its own: it lists the descriptors of the shell.
    const script = 'ls -l /proc/$$/fd; echo over; sleep 60';
    const { id: projectId } = await world.makeProject();
    const command = { file: '/bin/sh', args: ['-c', script] };
    const { id: agentId } = await world.makeAgent(projectId, { provider: 'command', command });
    await post(world, { projectId, agentId }, 'Start');
    let lines: string[] = [];
    await until(async () => {
      lines = await logOf(world.machine);
      return lines.includes('over');
    }, 35_000);
    const files = lines.flatMap((line) => / (\d+ -> .*)$/.exec(line)?.[1] ?? []);
    const more = files.filter((file) => Number.parseInt(file, 10) > 2);
    must(files.length > 0, 'it could not say what it has');
    must(more.length === 0, `it inherits ${more.join('; ')}`);
    return `only ${files.join('; ')}`;
  },
};

/** The log of the run that lists its files. */
async function logOf(machine: Host): Promise<string[]> {
  const folder = join(machine.home, 'logs', 'runs');
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')));
  return texts.find((text) => / 0 -> /.test(text))?.split('\n') ?? [];
}

export const leastPrivilege: readonly Attack[] = [role, environment, descriptors];
