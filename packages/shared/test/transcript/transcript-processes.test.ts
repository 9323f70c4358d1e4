import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { openTranscripts, type StoredLine } from '../../src/platform/transcript/transcript.ts';
import { expectedTranscript, type Room, until } from './transcript-support.ts';
import { useTranscripts } from './transcript-world.ts';
import type { Command, Reply } from './transcript-writer.ts';

/** Trap 13: rest-api and mcp-server append to one file, and no lock inside a process orders them. */

const WRITER = fileURLToPath(new URL('transcript-writer.ts', import.meta.url));

class Writer {
  readonly process: ChildProcess;
  readonly #replies: Reply[] = [];
  #wake: () => void = () => undefined;

  constructor(url: string) {
    this.process = fork(WRITER, [url], {
      execArgv: ['--conditions=source'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.process.on('message', (reply: Reply) => {
      this.#replies.push(reply);
      this.#wake();
    });
  }

  send(command: Command): void {
    this.process.send(command);
  }

  async hears<T extends Reply['told']>(told: T): Promise<Extract<Reply, { told: T }>> {
    for (;;) {
      const index = this.#replies.findIndex((reply) => reply.told === told);
      if (index >= 0) return this.#replies.splice(index, 1)[0] as Extract<Reply, { told: T }>;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async store(room: Room, content: string): Promise<StoredLine> {
    this.send({ do: 'store', room, content });
    return (await this.hears('stored')).entry;
  }

  async say(room: Room, content: string): Promise<void> {
    this.send({ do: 'note', entry: await this.store(room, content) });
    await this.hears('noted');
  }

  /** Stores a message whose write then stands still, before its first byte or after half of them. */
  async sayAndHold(room: Room, content: string, afterHalf = false): Promise<void> {
    this.send({ do: 'hold next write', afterHalf });
    await this.hears('ok');
    this.send({ do: 'note', entry: await this.store(room, content) });
    await this.hears('holding');
  }

  async letGo(): Promise<void> {
    this.send({ do: 'let go' });
    await this.hears('ok');
    await this.hears('noted');
  }

  async kill(): Promise<void> {
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = once(this.process, 'exit');
    this.send({ do: 'stop' });
    await exited;
  }
}

const world = useTranscripts();
let room: Room;
let rest: Writer;
let mcp: Writer;

beforeEach(async () => {
  room = world.room;
  rest = new Writer(world.url);
  mcp = new Writer(world.url);
  await Promise.all([rest.hears('ready'), mcp.hears('ready')]);
});

afterEach(async () => {
  await Promise.all([rest.stop(), mcp.stop()]);
});

test('two processes in turn, and both at once, give the thread in the order of commits', async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    await rest.say(room, `question ${turn}`);
    await mcp.say(room, `answer ${turn}`);
    await world.expectFaithful();
  }
  rest.send({ do: 'say many', room, count: 300, label: 'rest' });
  mcp.send({ do: 'say many', room, count: 300, label: 'mcp' });
  await Promise.all([rest.hears('said'), mcp.hears('said')]);
  await world.expectFaithful();
});

test('trap 13: a message whose writer stands still is written by the next one, in its place and once', async () => {
  await rest.say(room, 'both have');
  await mcp.say(room, 'used the file');
  await rest.sayAndHold(room, 'stored first, written last');
  await mcp.say(room, 'stored second, written first');
  await world.expectFaithful();
  await rest.letGo();
  await world.expectFaithful();
  await mcp.say(room, 'and on');
  await world.expectFaithful();
});

test('a line half written when another process comes is completed, not taken for a stranger', async () => {
  await rest.say(room, 'first');
  await mcp.say(room, 'second');
  await rest.sayAndHold(room, 'half of this stands', true);
  await mcp.say(room, 'completes it');
  await world.expectFaithful();
  await rest.letGo();
  await world.expectFaithful();
});

test.each([false, true])(
  'killed between commit and append (torn: %s): the next append repairs',
  async (afterHalf) => {
    await rest.say(room, 'first');
    await rest.sayAndHold(room, 'its writer dies', afterHalf);
    await rest.kill();
    await mcp.say(room, 'next');
    await world.expectFaithful();
  },
);

test.each([false, true])(
  'killed between commit and append (torn: %s): a repair repairs',
  async (afterHalf) => {
    await rest.say(room, 'first');
    await rest.sayAndHold(room, 'its writer dies', afterHalf);
    await rest.kill();
    expect(await readFile(room.path, 'utf8')).not.toBe(await expectedTranscript(world.database, room));
    const transcripts = openTranscripts({
      database: world.database,
      logger: createLogger('test', { level: 'silent' }),
    });
    await transcripts.repair(room);
    await transcripts.close();
    await world.expectFaithful();
  },
);

test('killed in the middle of a storm: what was stored is there, once, after the next append', async () => {
  rest.send({ do: 'say many', room, count: 2_000, label: 'rest' });
  mcp.send({ do: 'say many', room, count: 200, label: 'mcp' });
  await mcp.hears('said');
  await rest.kill();
  // Statements that the dead process had sent may still commit.
  await until(async () => {
    const { rows } = await world.database.pool.query(
      'select 1 from pg_stat_activity where application_name = $1',
      [`writer ${rest.process.pid}`],
    );
    return rows.length === 0;
  });
  await mcp.say(room, 'last');
  await world.expectFaithful();
});
