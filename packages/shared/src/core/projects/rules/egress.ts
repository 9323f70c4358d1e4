/** What the agents of a project may reach from their containers, beside the mcp-server. */

export const MAX_EGRESS_ENTRIES = 100;
/** A name of 253 characters, `*.` and a port. */
export const MAX_EGRESS_ENTRY_LENGTH = 261;

/** Of an entry without a port: what HTTPS and HTTP have. */
const USUAL_PORTS: readonly number[] = [443, 80];
const MAX_NAME_LENGTH = 253;
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** With a dot: one word is a mistake more often than a host. The last part is no number: that is an address in disguise. */
const NAME = new RegExp(`^(?:${LABEL}\\.)+(?=[a-z0-9-]*[a-z])${LABEL}$`);
const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${BYTE}(?:\\.${BYTE}){3}$`);
const ENTRY = /^(\*\.)?([^:[\]]+|\[[0-9a-f:]+\])(?::([1-9]\d{0,4}))?$/;
const MAX_PORT = 65_535;

interface Entry {
  readonly host: string;
  /** Any name below `host`, and not itself. */
  readonly isBelow: boolean;
  readonly ports: readonly number[];
}

/** `example.org`, `*.example.org`, an address, an IPv6 address in brackets; each with a port or without. */
export function isEgressEntry(text: string): boolean {
  return parseEntry(text) !== undefined;
}

/** Whether the list names this host, as a client writes it, at this port. */
export function isEgressAllowed(list: readonly string[], host: string, port: number): boolean {
  const name = hostOf(host);
  return name !== undefined && list.some((text) => isNamedBy(parseEntry(text), name, port));
}

function isNamedBy(entry: Entry | undefined, name: string, port: number): boolean {
  if (!entry?.ports.includes(port)) return false;
  return entry.isBelow ? name.endsWith(`.${entry.host}`) : name === entry.host;
}

function parseEntry(text: string): Entry | undefined {
  if (text.length > MAX_EGRESS_ENTRY_LENGTH) return undefined;
  const [, below, host = '', port] = ENTRY.exec(text) ?? [];
  const isBelow = below !== undefined;
  // Only as it is compared: else an entry would look right and allow nothing.
  if (host === '' || hostOf(host) !== host || (isBelow && !NAME.test(host))) return undefined;
  if (port !== undefined && Number(port) > MAX_PORT) return undefined;
  return { host, isBelow, ports: port === undefined ? USUAL_PORTS : [Number(port)] };
}

/** The one way to write it; undefined when it is no name and no address that an entry can be. */
function hostOf(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (lower.includes(':')) return ipv6Of(lower);
  const host = lower.endsWith('.') ? lower.slice(0, -1) : lower;
  if (IPV4.test(host)) return host === lower ? host : undefined;
  return host.length <= MAX_NAME_LENGTH && NAME.test(host) ? host : undefined;
}

/** In brackets and shortened. One that stands for an address of IPv4 is that address. */
function ipv6Of(text: string): string | undefined {
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const host = /^[0-9a-f:.]+$/.test(inner) ? URL.parse(`http://[${inner}]`)?.hostname : undefined;
  const mapped = host && /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host);
  if (!mapped) return host;
  const [high, low] = mapped.slice(1).map((half) => Number.parseInt(half, 16));
  return [high, low].flatMap((half = 0) => [half >> 8, half & 0xff]).join('.');
}
