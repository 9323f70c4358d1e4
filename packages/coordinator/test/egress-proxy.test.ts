import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from './coordinator-host.ts';
import { EgressWorld, OTHER_ADDRESS, readAll, readUntil, SECRET } from './egress-world.ts';

const run = promisify(execFile);
let world: EgressWorld;
let end: () => void;

beforeEach(async () => {
  world = await EgressWorld.open();
  end = world.admit();
});
afterEach(() => world.close());

const connectTo = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;
const get = (address: string, more = '') => `GET ${address} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const last = get('/inside', 'Connection: close\r\n');

/** A connection through which the server is reached. */
async function tunnelled() {
  const socket = await world.connect();
  socket.write(connectTo(`allowed.example:${world.port}`));
  await readUntil(socket, '200 Connection established\r\n\r\n');
  return socket;
}

describe('what the list names', () => {
  test('is reached through a tunnel, also by what is sent with the request for it', async () => {
    const answer = await world.say(connectTo(`allowed.example:${world.port}`) + last);
    expect(answer).toMatch(/^HTTP\/1.1 200 Connection established\r\n\r\nHTTP\/1.1 200 OK/);
    expect(answer).toContain('seen /inside');
    expect(world.resolved).toEqual(['allowed.example']);
  });

  test('answers who has said all that it has to say', async () => {
    const socket = await tunnelled();
    socket.end(last);
    expect(await readAll(socket)).toContain('seen /inside');
  });

  test('is reached by plain HTTP, under its own name and without what is for the proxy', async () => {
    const headers =
      'Proxy-Authorization: Basic eDp5\r\nConnection: close, X-Secret\r\nX-Secret: 1\r\nX-Mine: 2\r\n';
    const answer = await world.say(get(`http://me:pw@allowed.example:${world.port}/a?b`, headers));
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
    expect(answer).toContain('seen /a?b');
    expect(world.seen[0]?.headers).toEqual({
      host: `allowed.example:${world.port}`,
      connection: 'close',
      'x-mine': '2',
    });
  });

  test('is reached by a program of Node that knows of the proxy by its environment alone', async () => {
    const proxy = `http://127.0.0.1:${world.proxyPort}`;
    const env = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: 'localhost', NODE_USE_ENV_PROXY: '1' };
    const tried = ['http://allowed.example', 'http://other.example', 'https://other.example'].map(
      (beginning) => `${beginning}:${world.port}/`,
    );
    const script = `for (const url of ${JSON.stringify(tried)})
      await fetch(url).then(({ status }) => console.log(status), () => console.log('nothing'))`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env });
    expect(stdout).toMatch(/^200\n(403|nothing)\nnothing\n$/);
    expect(world.seen).toHaveLength(1);
  });

  test.each(['POST', 'GET'])('gets the body of a %s whose length is not known', async (method) => {
    const body = 'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n';
    await world.say(`${method} http://allowed.example:${world.port}/ HTTP/1.1\r\nHost: x\r\n${body}`);
    expect(world.seen).toMatchObject([{ body: 'hello' }]);
  });
});

describe('nothing else is reached', () => {
  test.each([
    ['another service of this host', '127.0.0.1:5432', 403],
    ['the same in IPv6', '[::1]:5432', 403],
    ['the same as an address of IPv4 in IPv6', '[::ffff:127.0.0.1]:5432', 403],
    ['the same as a number', '2130706433:5432', 403],
    ['the same in hexadecimal', '0x7f000001:5432', 403],
    ['the same by name', 'localhost:5432', 403],
    ['another host', 'other.example:443', 403],
    ['another port of a host', 'allowed.example:443', 403],
    ['a look-alike', 'rebind.example.evil.example:443', 403],
    ['a name above a star', 'below.example:443', 403],
    ['a name that leads to this host', 'rebind.example:443', 403],
    ['a name that leads to this host as an address of IPv6', 'mapped.example:443', 403],
    ['a name that leads to the cloud', 'cloud.example:80', 403],
    ['a name that leads to a private network', 'intranet.example:443', 403],
    ['a name that leads to a private network of IPv6', 'ula.example:443', 403],
    ['a name that nobody has', 'nowhere.example:443', 502],
    ['a person before a host', 'allowed.example@evil.example:443', 400],
    ['a path', 'allowed.example:443/x', 400],
    ['no port', 'allowed.example', 400],
    ['a port that is none', 'rebind.example:443443', 400],
    ['nothing', ':443', 400],
  ])('through a tunnel: %s', async (_what, target, status) => {
    const answer = await world.say(connectTo(target) + last);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).not.toContain('200');
    expect(world.seen).toEqual([]);
  });

  test.each([
    ['another host', 'http://other.example/', 403],
    ['what stands behind a person', 'http://allowed.example@other.example/', 403],
    ['what stands behind a backslash', 'http://other.example\\@allowed.example/', 400],
    ['a number that is an address', 'http://2130706433:5432/', 403],
    ['an address with octal parts', 'http://0177.0.0.1:5432/', 403],
    ['a name that leads to this host', 'http://rebind.example/', 403],
    ['the cloud', 'http://169.254.169.254/latest/meta-data', 403],
    ['TLS, which is for tunnels', 'https://rebind.example/', 400],
    ['a file', 'file:///etc/passwd', 400],
    ['what names no host', '/etc/passwd', 400],
  ])('by plain HTTP: %s', async (_what, address, status) => {
    const answer = await world.say(get(address));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(world.seen).toEqual([]);
  });

  test('an address that stands in the list is, at its port only', async () => {
    expect(await world.say(connectTo(`127.0.0.1:${world.port}`) + last)).toContain('seen /inside');
    expect(await world.say(connectTo(`127.0.0.1:${world.otherPort}`) + last)).toMatch(/^HTTP\/1.1 403/);
  });

  test.each([
    [
      'after a body of which the length is not known',
      'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    ],
    ['after a body', 'Content-Length: 3\r\n\r\nabc'],
    ['after none', '\r\n'],
  ])('by a second request on a connection that had an allowed one: %s', async (_what, rest) => {
    const first = `POST http://allowed.example:${world.port}/first HTTP/1.1\r\nHost: x\r\n${rest}`;
    const answer = await world.say(first + get(`http://127.0.0.1:${world.otherPort}/second`));
    expect(answer).toMatch(/^HTTP\/1.1 200 OK.*seen \/first.*HTTP\/1.1 403 /s);
    expect(world.seen.map(({ url }) => url)).toEqual(['/first']);
  });

  test('by very many requests that are sent before the first is answered', async () => {
    const one = get(`http://allowed.example:${world.port}/`);
    await world.say(one.repeat(40));
    expect(world.seen.length).toBeLessThan(20);
  });

  test('by a request that has two lengths', async () => {
    const both = 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    const smuggled = `POST http://allowed.example:${world.port}/ HTTP/1.1\r\nHost: x\r\n${both}${get('/smuggled')}`;
    expect(await world.say(smuggled)).toMatch(/^HTTP\/1.1 400 /);
    expect(world.seen).toEqual([]);
  });

  test('the log of the run says why, once for each host', async () => {
    const secret = `${SECRET}.example:443`;
    for (const target of ['other.example:443', 'other.example:443', 'rebind.example:80', secret])
      await world.say(connectTo(target));
    await world.say(get(`http://${secret}/`));
    expect(world.said).toEqual([
      'other.example:443 is not on the egress list of the project.\n',
      expect.stringMatching(
        /^rebind\.example:80 leads to 127\.0\.0\.1, .* must name that address itself\.\n$/,
      ),
    ]);
  });

  test('the log does not grow without end', async () => {
    for (let at = 0; at < 105; at += 1) await world.say(connectTo(`a${at}.example:443`));
    expect(world.said).toHaveLength(100);
  });
});

describe('whose connection it is', () => {
  test.each(['proxyPort', 'relayPort'] as const)(
    'of nobody that is known: it is cut, at %s',
    async (port) => {
      const bytes = connectTo(`allowed.example:${world.port}`) + last;
      expect(await world.say(bytes, { port: world[port], from: OTHER_ADDRESS })).toBe('');
      end();
      expect(await world.say(bytes, { port: world[port] })).toBe('');
      expect(world.seen).toEqual([]);
    },
  );

  test('the mcp-server is reached as it is', async () => {
    expect(await world.say(last, { port: world.relayPort })).toContain('seen /inside');
  });

  test('of a run that ends: its tunnels are cut on both sides', async () => {
    const socket = await tunnelled();
    socket.write('GET /half HTTP/1.1\r\n');
    const relayed = await world.connect(world.relayPort);
    const closed = [once(socket, 'close'), once(relayed, 'close')];
    for (const one of [socket, relayed]) one.resume().on('end', () => one.end());
    end();
    await Promise.all(closed);
    // A further one of the same address is that of the next run.
    world.admit([]);
    expect(await world.say(connectTo(`allowed.example:${world.port}`))).toMatch(/^HTTP\/1.1 403/);
  });

  test('the address of a run that has ended unseen is that of the next one', async () => {
    const socket = await tunnelled();
    const closed = once(socket.resume(), 'end');
    world.admit([]);
    await closed;
    // The end of the first is not that of the second.
    end();
    expect(await world.say(connectTo('other.example:443'))).toMatch(/^HTTP\/1.1 403/);
  });

  test('of one that has very many: a further one is cut, until one ends', async () => {
    const open = await Promise.all(Array.from({ length: 256 }, () => world.connect()));
    expect(await world.say(connectTo('other.example:443'))).toBe('');
    const [first] = open;
    first?.destroy();
    await until(async () => (await world.say(connectTo('other.example:443'))) !== '' || undefined);
  });
});

test('one run does not take the connections to the mcp-server that all of them share', async () => {
  const open = await Promise.all(Array.from({ length: 32 }, () => world.connect(world.relayPort)));
  expect(await world.say(last, { port: world.relayPort })).toBe('');
  expect(await world.say(connectTo('other.example:443'))).toMatch(/^HTTP\/1.1 403/);
  open[0]?.destroy();
  await until(async () => (await world.say(last, { port: world.relayPort })) !== '' || undefined);
});

describe('what is no request, or stands still', () => {
  test.each([
    ['headers without end', `GET http://allowed.example/ HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001'],
    ['SOCKS', '\u0005\u0001\u0000\r\n\r\n'],
  ])('%s', async (_what, bytes) => {
    expect(await world.say(bytes)).toMatch(/^HTTP\/1.1 400 /);
  });

  test('a tunnel through which nothing comes is cut, and so is a connection that says nothing', async () => {
    await world.close();
    world = await EgressWorld.open({ idleMs: 3_000 });
    world.admit();
    const [silent, tunnel] = [await world.connect(), await tunnelled()];
    expect(await Promise.all([readAll(silent), readAll(tunnel)])).toEqual(['', '']);
  });

  test('a host that does not answer is said', async () => {
    world.admit(['127.0.0.1:1']);
    expect(await world.say(connectTo('127.0.0.1:1'))).toMatch(/^HTTP\/1.1 502 .*ECONNREFUSED/s);
    expect(await world.say(get('http://127.0.0.1:1/'))).toMatch(/^HTTP\/1.1 502 .*ECONNREFUSED/s);
  });
});
