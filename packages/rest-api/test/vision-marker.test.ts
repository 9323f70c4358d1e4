import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TurnWorld } from './turn-world.ts';
import { PNG, VisionClient } from './vision-world.ts';

/**
 * No byte of an image stays anywhere: images with a random marker go all the ways that an image can go, well and badly,
 * and then everything that the product writes is searched for it, raw, in base64 and in hex.
 */
let world: TurnWorld;
let owner: VisionClient;
const beganAt = Date.now();
beforeAll(async () => {
  world = await TurnWorld.create();
  owner = new VisionClient(world);
});
afterAll(() => world.close());

const MARKER = randomBytes(48);
/** As they stand in a longer text: base64 depends on the place, so each of its three shifts. */
const TRACES: readonly Buffer[] = [
  MARKER,
  Buffer.from(MARKER.toString('hex')),
  ...[0, 1, 2].map((shift) => Buffer.from(MARKER.subarray(shift, 45 + shift).toString('base64'))),
];

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  // Nothing here checks the sum.
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
}

const IMAGE = Buffer.concat([
  Buffer.from(PNG),
  chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])),
  chunk('tEXt', Buffer.concat([Buffer.from('Comment\0'), MARKER])),
  chunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0]))),
  chunk('IEND', Buffer.alloc(0)),
]);
const URI = `data:image/png;base64,${IMAGE.toString('base64')}`;

const isTraced = (bytes: Buffer) => TRACES.some((trace) => bytes.includes(trace));

/** Every row of every table, as text. */
async function rows(): Promise<Map<string, string>> {
  const { db } = world.rest.context.database;
  const { rows: tables } = await sql<{ name: string }>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`.execute(db);
  const texts = await Promise.all(
    tables.map(async ({ name }): Promise<[string, string]> => {
      const { rows: found } = await sql<{ text: string }>`
        select coalesce(string_agg(t::text, E'\n'), '') as text from ${sql.raw(name)} t`.execute(db);
      return [name, found[0]?.text ?? ''];
    }),
  );
  return new Map(texts);
}

/** Files of the world, and those that were written beside it since the test began. */
async function filesWithTraces(): Promise<string[]> {
  const found: string[] = [];
  const look = async (folder: string, isOwn: boolean): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory() && isOwn) await look(file, isOwn);
      if (!entry.isFile()) continue;
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
      if (!isOwn && mtimeMs < beganAt) continue;
      if (isTraced(await readFile(file).catch(() => Buffer.alloc(0)))) found.push(file);
    }
  };
  await look(world.rest.root, true);
  await look(tmpdir(), false);
  return found;
}

test('the images of requests and of turns are found nowhere', async () => {
  // The search finds what is there.
  expect(isTraced(IMAGE)).toBe(true);
  expect(isTraced(Buffer.from(URI))).toBe(true);

  const asked: string[] = [];
  const ask = async () => {
    asked.push(await owner.asked());
    return asked.at(-1) ?? '';
  };
  world.script = ({ images }) => ({ text: [`${images.length} red`, ' dot'] });
  expect(await owner.answered(await ask(), { images: [URI, URI] })).toBe('204');
  expect(world.model.requests.at(-1)?.images).toEqual([URI, URI]);
  await (await world.say('What is this?', { images: [URI] })).ended;

  // A server that repeats what it was sent, with every status, and one that breaks off.
  for (const status of [400, 413, 500]) {
    world.script = () => ({ status, message: `cannot read ${URI}`, body: `{"error":{"message":"${URI}"}}` });
    expect(await owner.answered(await ask(), { images: [URI] })).toBe('503 llm_unavailable');
    await (await world.say('And this?', { images: [URI] })).ended;
  }
  world.script = () => ({ text: ['A'], ending: 'cut' });
  expect(await owner.answered(await ask(), { images: [URI] })).toBe('503 llm_unavailable');
  world.script = () => ({ text: ['A'], ending: { error: { message: URI } } });
  expect(await owner.answered(await ask(), { images: [URI] })).toBe('503 llm_unavailable');
  await (await world.say('And this?', { images: [URI] })).ended;

  // Bodies that are refused before anything reads them.
  const late = asked[0] ?? '';
  expect(await owner.answered(late, { images: [URI] })).toBe('404 capture_request_not_found');
  expect(await owner.answered('vis_nothing', { images: [URI] })).toBe('404 capture_request_not_found');
  expect(await owner.answered(await ask(), { images: [URI], [URI]: 1 })).toBe('400 invalid_input');
  expect(await owner.answered(await ask(), { images: [URI.replace('/png', '/gif')] })).toBe(
    '400 invalid_input',
  );

  const tables = await rows();
  expect(tables.get('public.memory_events')).toContain('2 red dot');
  expect([...tables].flatMap(([name, text]) => (isTraced(Buffer.from(text)) ? [name] : []))).toEqual([]);
  expect(world.rest.log.filter((line) => isTraced(Buffer.from(line)))).toEqual([]);
  expect(world.rest.log.some((line) => line.includes('images were not described'))).toBe(true);
  expect(await filesWithTraces()).toEqual([]);
});
