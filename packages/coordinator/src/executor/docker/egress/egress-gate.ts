import type { DockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { RunErrorTexts } from '../../../texts/run-errors.ts';
import { type DockerEngine, EngineRefused } from '../docker-engine.ts';
import { type GateServers, openServers } from './gate-servers.ts';
import { type KeptRunOptions, KeptRuns } from './kept-runs.ts';
import type { Resolve } from './resolve.ts';
import { RunAddresses } from './run-addresses.ts';
import {
  CONFLICT,
  makeNetwork,
  networkNameOf,
  type RunNetwork,
  removeNetwork,
  requireAddress,
} from './run-network.ts';

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
  /** Of the container. */
  readonly address: string;
  readonly gateway: string;
  readonly proxyPort: number;
  /** The name of the mcp-server, which leads to us. */
  readonly mcpHost: string;
}

/** The place of one run in it. */
export interface Entrance {
  readonly box: GateOfBox;
  /** From now on the container reaches what the list names. */
  admit(container: string, options: KeptRunOptions): Promise<void>;
  /** Cuts what is connected, and closes the gate behind the last. A second call changes nothing. */
  leave(): Promise<void>;
}

interface Opened {
  readonly network: RunNetwork;
  readonly box: Omit<GateOfBox, 'address'>;
  readonly addresses: RunAddresses;
  readonly servers: GateServers;
}

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
    const opened = await this.#inTurn(async () => {
      this.#opened ??= await this.#open();
      this.#entered += 1;
      return this.#opened;
    });
    const { network, addresses } = opened;
    const address = addresses.take();
    let end: (() => void) | undefined;
    let left: Promise<void> | undefined;
    const leave = () => {
      end?.();
      left ??= this.#inTurn(async () => {
        if (address !== undefined) addresses.free(address);
        await this.#leave();
      });
      return left;
    };
    if (address === undefined) {
      await leave();
      throw new EngineRefused(CONFLICT, 'no address is free in the network of runs with an egress list');
    }
    return {
      box: { ...opened.box, address },
      admit: async (name, options) => {
        await requireAddress(this.#options.engine, { network, name, address });
        end = this.#runs.add(address, options);
      },
      leave,
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
    this.#opened?.servers.close();
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
    const { engine, instanceId, config, resolve, logger } = this.#options;
    const { mcpServer, mcpUrl } = config;
    try {
      const network = await makeNetwork(engine, instanceId);
      const { id: networkId, subnet, gateway, last, taken } = network;
      const servers = await openServers(gateway, { runs: this.#runs, mcpServer, resolve, logger });
      const { proxyPort } = servers;
      const box = { networkId, gateway, proxyPort, mcpHost: new URL(mcpUrl).hostname };
      return { network, addresses: new RunAddresses(subnet, [gateway, last, ...taken]), servers, box };
    } catch (error) {
      // Also one that was made without an answer.
      if (!(await this.#isRemoved(networkNameOf(instanceId)))) this.#options.clean();
      throw error;
    }
  }
}
