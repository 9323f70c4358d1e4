import { describe, expect, it } from 'vitest';
import { readArguments } from './arguments.ts';

const MCP = ['--mcp', 'http://127.0.0.1:4101/mcp'];

describe('the arguments of the probe', () => {
  it('name rows, a long form and its seed', () => {
    expect(readArguments(['--only', '1,18', '--long', '--calls', '50', '--seed', '7'])).toEqual({
      only: [1, 18],
      isLong: true,
      calls: 50,
      seed: 7,
      inContainers: false,
    });
  });

  it('ask for runs in containers, of a product of our own only', () => {
    expect(readArguments(['--containers'])?.inContainers).toBe(true);
    const against = ['--against', 'http://127.0.0.1:4100', ...MCP, '--containers'];
    expect(() => readArguments(against, 'secret')).toThrow('--containers');
  });

  it.each(['http://127.0.0.1:4100', 'http://127.9.9.9:4100', 'http://localhost:4100', 'http://[::1]:4100'])(
    'take %s',
    (url) => {
      expect(readArguments(['--against', `${url}/`, ...MCP], 'secret')?.against?.web).toBe(url);
    },
  );

  it.each([
    'http://example.com',
    'http://192.168.1.5:4100',
    'http://127.0.0.1.example.com',
    'http://0.0.0.0:4100',
    'http://localhost.example.com',
    'http://127.0.0.1@example.com',
    'https://127.0.0.1:4100',
    'file:///etc/passwd',
    'nonsense',
  ])('refuse %s', (url) => {
    expect(() => readArguments(['--against', url, ...MCP], 'secret')).toThrow(/loopback|http address/);
    expect(() => readArguments(['--against', 'http://127.0.0.1:1', '--mcp', url], 'secret')).toThrow(
      /loopback|http address/,
    );
    expect(() =>
      readArguments(['--against', 'http://127.0.0.1:1', ...MCP, '--coordinator', url], 'secret'),
    ).toThrow(/loopback|http address/);
  });

  it('refuse an installation without the address of MCP or the passkey of its owner', () => {
    const against = ['--against', 'http://127.0.0.1:4100'];
    expect(() => readArguments(against, 'secret')).toThrow('--mcp');
    expect(() => readArguments([...against, ...MCP])).toThrow('AIZUCHI_OWNER_PASSKEY');
    expect(() => readArguments(MCP)).toThrow('--against');
  });

  it.each([['--only', 'x'], ['--calls', '0'], ['--calls', '-5'], ['--seed', '1e3'], ['--unknown']])(
    'refuse %s %s',
    (...args) => {
      expect(() => readArguments(args.filter((arg) => arg !== undefined))).toThrow(/--/);
    },
  );
});
