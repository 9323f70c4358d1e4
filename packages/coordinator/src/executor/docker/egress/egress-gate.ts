import { once } from 'node:events';
import { connect, type Server } from 'node:net';
import type { DockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { StartError } from '../../../launch/start-error.ts';
import type { RunLog } from '../../../log/run-log.ts';
import type { RunErrorTexts } from '../../../texts/run-errors.ts';
import type { DockerEngine } from '../docker-engine.ts';
import { egressProxy } from './egress-proxy.ts';
import { KeptRuns } from './kept-runs.ts';
import { mcpRelay } from './mcp-relay.ts';
import { codeOf, type Resolve } from './reach.ts';
import { addressIn, makeNetwork, networkNameOf, type RunNetwork, removeNetwork } from './run-network.ts';

export interface GateOptions {
  readonly engine: DockerEngine;
  readonly instanceId: string;
  readonly config: Pick<DockerConfig, 'mcpUrl' | 'mcpServer'>;
  readonly texts: RunErrorTexts;
  readonly logger: Logger;
  /** The network is still there: it is looked for again. */
  readonly clean: () => void;
  readonly resolve?: Resolve | undefined;
}

/** What the box of a run that is kept to a list has instead of the network of the Coordinator. */
export interface GateOfBox {
  readonly networkId: string;
  readonly gateway: string;
  readonly proxyPort: number;
  /** The name of the mcp-server, which leads to us. */
  readonly mcpHost: string;
}

/** The place of one run in it. */
export interface Entrance {
  readonly box: GateOfBox;
  /** From now on the container reaches what the list names. */
  admit(container: string, egress: readonly string[], log: Pick<RunLog, 'write'>): Promise<void>;
  /** Cuts what is connected, and closes the gate behind the last. A second call changes nothing. */
  leave(): Promise<void>;
}

interface Opened {
  readonly network: RunNetwork;
  readonly box: GateOfBox;
  readonly servers: readonly Server[];
}

const CONNECT_MS = 2_000;

/**
 * Stands between runs that are kept to a list and everything else, as long as there is one: a network without a way out, the
 * proxy, and the way to the mcp-server.
 */
export class EgressGate {
  readonly #options: GateOptions;
  readonly #runs: KeptRuns;
  #opened: Opened | undefined;
  #entered = 0;
  /** Opening and closing go one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: GateOptions) {
    this.#options = options;
    this.#runs = new KeptRuns(options.texts);
  }

  /** Whether the network of this name is in use. */
  has(name: string): boolean {
    return this.#entered > 0 && name === networkNameOf(this.#options.instanceId);
  }

  async enter(): Promise<Entrance> {
    const { network, box } = await this.#inTurn(async () => {
      this.#opened ??= await this.#open();
      this.#entered += 1;
      return this.#opened;
    });
    let end: (() => void) | undefined;
    let left: Promise<void> | undefined;
    return {
      box,
      admit: async (container, egress, log) => {
        const address = await addressIn(this.#options.engine, network, container);
        end = this.#runs.add(address, { egress, log });
      },
      leave: () => {
        end?.();
        left ??= this.#inTurn(() => this.#leave());
        return left;
      },
    };
  }

  /** Removes what an earlier Coordinator has left. False when it is still there. */
  remove(name: string): Promise<boolean> {
    return this.#inTurn(async () => this.has(name) || this.#isRemoved(name));
  }

  /** Resolves when nothing is being opened or closed any more. */
  async settled(): Promise<void> {
    await this.#turn;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #leave(): Promise<void> {
    this.#entered -= 1;
    if (this.#entered > 0) return;
    this.#opened?.servers.forEach(close);
    this.#opened = undefined;
    if (!(await this.#isRemoved(networkNameOf(this.#options.instanceId)))) this.#options.clean();
  }

  async #isRemoved(name: string): Promise<boolean> {
    const { engine, logger } = this.#options;
    return removeNetwork(engine, name).then(
      () => true,
      (error: unknown) => {
        logger.warn({ err: error, network: name }, 'network of runs not removed');
        return false;
      },
    );
  }

  async #open(): Promise<Opened> {
    const { engine, instanceId, resolve, config } = this.#options;
    const network = await makeNetwork(engine, instanceId);
    const servers: Server[] = [];
    try {
      const proxy = egressProxy({ runs: this.#runs, resolve });
      servers.push(proxy);
      const proxyPort = await this.#listen(proxy, network.gateway, 0);
      const relay = await this.#relay(network.gateway);
      if (relay) servers.push(relay);
      const mcpHost = new URL(config.mcpUrl).hostname;
      const { id: networkId, gateway } = network;
      return { network, servers, box: { networkId, gateway, proxyPort, mcpHost } };
    } catch (error) {
      servers.forEach(close);
      if (!(await this.#isRemoved(networkNameOf(instanceId)))) this.#options.clean();
      throw error;
    }
  }

  /** Under the address that the mcp-server has for runs. Undefined: it listens there itself. */
  async #relay(gateway: string): Promise<Server | undefined> {
    const { config } = this.#options;
    const { port } = config.mcpServer;
    const relay = mcpRelay({ runs: this.#runs, to: config.mcpServer });
    try {
      await this.#listen(relay, gateway, port);
      // Where it may yet listen on all addresses, its port must be free.
      await reached(config.mcpServer);
      return relay;
    } catch (error) {
      close(relay);
      if (
        await reached({ host: gateway, port }).then(
          () => true,
          () => false,
        )
      )
        return undefined;
      throw error instanceof StartError ? error : this.#notListening(`${gateway}:${port}`, error);
    }
  }

  async #listen(server: Server, host: string, port: number): Promise<number> {
    try {
      server.listen({ host, port });
      await once(server, 'listening');
    } catch (error) {
      throw this.#notListening(`${host}:${port}`, error);
    }
    server.on('error', (error) => this.#options.logger.warn({ err: error }, 'egress gate'));
    const address = server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  #notListening(address: string, error: unknown): StartError {
    return new StartError(this.#options.texts.egressNotListening(address, codeOf(error)));
  }
}

function close(server: Server): void {
  server.close();
}

async function reached({ host, port }: { host: string; port: number }): Promise<void> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
  } finally {
    socket.destroy();
  }
}
