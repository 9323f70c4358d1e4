import { parseArgs } from 'node:util';

export interface ProbeOptions {
  /** Rows to try; empty means all. */
  readonly only: readonly number[];
  readonly isLong: boolean;
  readonly calls: number;
  readonly seed: number;
  /** A product of our own with its runs in containers, and agents that attack from inside of theirs. */
  readonly inContainers: boolean;
  /** A running installation; undefined means a product of our own. */
  readonly against?: Against;
}

export interface Against {
  readonly web: string;
  readonly mcp: string;
  readonly coordinator?: string;
  readonly passkey: string;
}

/** The arguments are wrong; the message says how, in one sentence. */
export class WrongArguments extends Error {}

export const HELP = `npm run probe -- [--only 1,4] [--long [--calls 10000] [--seed N]]
                 [--against URL --mcp URL [--coordinator URL]] [--containers]
  --only         rows of the table
  --long         then calls made from the OpenAPI document and the tools' schemas
  --containers   with runs in containers of the engine that AIZUCHI_DOCKER_HOST names: agents attack from inside
  --against      a running installation on loopback instead of one on a throw-away home: what can be tried from
                 outside; the owner's passkey is read from AIZUCHI_OWNER_PASSKEY`;

const flags = {
  only: { type: 'string' },
  long: { type: 'boolean', default: false },
  calls: { type: 'string', default: '10000' },
  seed: { type: 'string' },
  against: { type: 'string' },
  mcp: { type: 'string' },
  coordinator: { type: 'string' },
  containers: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Returns undefined if only the help was requested. Throws WrongArguments. */
export function readArguments(args: string[], passkey = ''): ProbeOptions | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const only = (values.only ?? '')
    .split(',')
    .filter(Boolean)
    .map((text) => count(text, '--only', 0));
  const against = readAgainst(values, passkey);
  if (against && values.containers)
    throw new WrongArguments('--containers starts a product of its own: it does not go with --against.');
  return {
    only,
    isLong: values.long,
    inContainers: values.containers,
    calls: count(values.calls, '--calls', 1),
    seed: values.seed === undefined ? Date.now() % 2 ** 31 : count(values.seed, '--seed', 0),
    ...(against && { against }),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: flags }).values;
  } catch (error) {
    throw new WrongArguments(error instanceof Error ? error.message : String(error));
  }
}

function readAgainst(values: ReturnType<typeof parse>, passkey: string): Against | undefined {
  const { against, mcp, coordinator } = values;
  if (against === undefined) {
    if (mcp !== undefined || coordinator !== undefined)
      throw new WrongArguments('--mcp and --coordinator need --against.');
    return undefined;
  }
  if (mcp === undefined) throw new WrongArguments('--against needs --mcp too.');
  if (passkey === '')
    throw new WrongArguments('--against needs the passkey of the owner in AIZUCHI_OWNER_PASSKEY.');
  return {
    web: loopback(against, '--against').origin,
    mcp: mcpAddress(mcp),
    ...(coordinator !== undefined && { coordinator: loopback(coordinator, '--coordinator').origin }),
    passkey,
  };
}

function mcpAddress(text: string): string {
  const url = loopback(text, '--mcp');
  return url.origin + (url.pathname === '/' ? '/mcp' : url.pathname);
}

/** The probe attacks only this machine: it resolves no name and accepts no other address. */
function loopback(text: string, flag: string): URL {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'http:')
    throw new WrongArguments(`${flag} is not an http address: ${text}`);
  if (!/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname))
    throw new WrongArguments(`${flag} is not a loopback address: the probe attacks nothing else.`);
  return url;
}

function count(text: string, flag: string, least: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < least)
    throw new WrongArguments(`${flag} is not a number: ${text}`);
  return number;
}
