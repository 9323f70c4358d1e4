import { addressesOf } from '@aizuchi/shared/platform/http/address';
import { z } from 'zod';
import { INSTANCE_LABEL } from '../box.ts';
import { type DockerEngine, EngineRefused } from '../docker-engine.ts';

/** At the end of the Coordinator it must not take long; what is left is a stray to the next one. */
const REMOVAL_MS = 2_000;
export const CONFLICT = 409;
const NOT_FOUND = 404;
/** An interface has 15 characters at most. With this prefix a rule of a firewall finds them all. */
const BRIDGE_PREFIX = 'aizuchi-';
const BRIDGE_ID = 7;
/** By this name the engine takes an address as the default route of containers, in place of its own. */
const ROUTE = 'DefaultGatewayIPv4';

const networkSchema = z.object({
  Id: z.string(),
  Name: z.string(),
  Driver: z.string(),
  Internal: z.boolean(),
  Labels: z.record(z.string(), z.string()).nullable(),
  Options: z.record(z.string(), z.string()).nullable(),
  IPAM: z.object({
    Config: z
      .array(
        z.object({
          Subnet: z.string().optional(),
          Gateway: z.string().optional(),
          AuxiliaryAddresses: z.record(z.string(), z.string()).nullish(),
        }),
      )
      .nullable(),
  }),
  Containers: z.record(z.string(), z.object({ IPv4Address: z.string() })).nullish(),
});
const containerSchema = z.object({
  NetworkSettings: z.object({
    Networks: z.record(z.string(), z.object({ NetworkID: z.string(), IPAddress: z.string() })),
  }),
});

export interface RunNetwork {
  readonly id: string;
  readonly subnet: string;
  /** The address of this host in it. */
  readonly gateway: string;
  /** Of nobody. */
  readonly last: string;
  /** Of containers that are in it: an earlier Coordinator may have left them, and they are being ended. */
  readonly taken: readonly string[];
}

export function networkNameOf(instanceId: string): string {
  return `aizuchi-${instanceId.slice(0, 12)}-egress`;
}

/** The networks of this installation by their names. */
export async function findNetworks(engine: DockerEngine, instanceId: string): Promise<string[]> {
  const filters = JSON.stringify({ label: [`${INSTANCE_LABEL}=${instanceId}`] });
  const found = await engine.call({ method: 'GET', path: '/networks', query: { filters } });
  return z
    .array(z.object({ Name: z.string() }))
    .parse(found)
    .map(({ Name }) => Name);
}

/**
 * The network of runs that are kept to a list: it has no way out, and no way from one container to another. One that an
 * earlier Coordinator has left is taken when it is as we would make it.
 */
export async function makeNetwork(engine: DockerEngine, instanceId: string): Promise<RunNetwork> {
  const name = networkNameOf(instanceId);
  const body = specOf(name, instanceId);
  const find = () => engine.call({ method: 'GET', path: `/networks/${name}` });
  const found = await find().catch(unlessMissing);
  const left = found === undefined ? undefined : networkSchema.parse(found);
  if (left && !isAsMade(left, body)) await removeNetwork(engine, name);
  if (!left || !isAsMade(left, body)) {
    await createNetwork(engine, body);
    // The engine chooses a free subnet, and only then its last address is known.
    const ipam = withoutRoute(networkSchema.parse(await find()));
    await removeNetwork(engine, name);
    await createNetwork(engine, { ...body, ...ipam });
  }
  const network = networkSchema.parse(await find());
  if (!isAsMade(network, body))
    throw new EngineRefused(CONFLICT, `the network ${name} is not as it was made`);
  const { Subnet: subnet = '', Gateway } = ipv4Of(network);
  // Not every engine shows it of a network without a way out: it is the first address.
  return {
    id: network.Id,
    subnet,
    gateway: withoutBits(Gateway ?? addressesOf(subnet).at(0)),
    last: lastOf(subnet),
    taken: Object.values(network.Containers ?? {}).map(({ IPv4Address }) => withoutBits(IPv4Address)),
  };
}

/** The engine may write an address as `172.20.0.1/16`. */
function withoutBits(address: string): string {
  return address.replace(/\/.*$/, '');
}

async function createNetwork(engine: DockerEngine, body: { Name: string }): Promise<void> {
  await engine.call({ method: 'POST', path: '/networks/create', body }).catch((error: unknown) => {
    // It has come meanwhile, or it would not go: what it is, is seen by the caller.
    if (!(error instanceof EngineRefused && error.status === CONFLICT)) throw error;
  });
}

/**
 * The default route of its containers leads to its last address, which nobody has. Engine 20.10 sets one
 * also in a network without a way out: by the gateway a container would reach this host at all of its addresses.
 */
function withoutRoute(network: z.infer<typeof networkSchema>) {
  const { Subnet = '', Gateway } = ipv4Of(network);
  return { IPAM: { Config: [{ Subnet, Gateway, AuxiliaryAddresses: { [ROUTE]: lastOf(Subnet) } }] } };
}

function ipv4Of({ Name, IPAM }: z.infer<typeof networkSchema>) {
  const found = IPAM.Config?.find((one) => one.Subnet?.includes('.'));
  if (!found) throw new EngineRefused(CONFLICT, `the network ${Name} has no subnet`);
  return found;
}

function lastOf(subnet: string): string {
  const addresses = addressesOf(subnet);
  return addresses.at(addresses.count - 1);
}

function specOf(name: string, instanceId: string) {
  return {
    Name: name,
    CheckDuplicate: true,
    Driver: 'bridge',
    Internal: true,
    EnableIPv6: false,
    Options: {
      'com.docker.network.bridge.enable_icc': 'false',
      'com.docker.network.bridge.name': `${BRIDGE_PREFIX}${instanceId.slice(0, BRIDGE_ID)}`,
    },
    Labels: { [INSTANCE_LABEL]: instanceId },
  };
}

function isAsMade(network: z.infer<typeof networkSchema>, spec: ReturnType<typeof specOf>): boolean {
  const has = (found: Record<string, string> | null, wanted: Record<string, string>) =>
    Object.entries(wanted).every(([name, value]) => found?.[name] === value);
  const { Driver, Internal, Options, Labels, IPAM } = network;
  const isRouteless = IPAM.Config?.some((one) => one.AuxiliaryAddresses?.[ROUTE] !== undefined);
  return (
    Driver === spec.Driver &&
    Internal &&
    isRouteless === true &&
    has(Options, spec.Options) &&
    has(Labels, spec.Labels)
  );
}

/** Rejects while a container is in it. */
export async function removeNetwork(engine: DockerEngine, name: string): Promise<void> {
  const path = `/networks/${name}`;
  await engine.call({ method: 'DELETE', path, timeoutMs: REMOVAL_MS }).catch(unlessMissing);
}

/** Throws unless a container has this address, and is in no other network. */
export async function requireAddress(
  engine: DockerEngine,
  {
    network,
    name,
    address,
  }: { readonly network: RunNetwork; readonly name: string; readonly address: string },
): Promise<void> {
  const shown = await engine.call({ method: 'GET', path: `/containers/${name}/json` });
  const { Networks } = containerSchema.parse(shown).NetworkSettings;
  const all = Object.values(Networks);
  const [own] = all;
  if (!own || all.length > 1 || own.NetworkID !== network.id || own.IPAddress !== address)
    throw new EngineRefused(CONFLICT, `the container ${name} is not in its network`);
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof EngineRefused && error.status === NOT_FOUND) return undefined;
  throw error;
}
