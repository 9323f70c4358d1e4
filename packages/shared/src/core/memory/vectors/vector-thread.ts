import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Nearest, NearestInput, NearestSearch } from './nearest.ts';

export interface ThreadData {
  readonly databaseUrl: string;
}

export interface ThreadRequest {
  readonly id: number;
  readonly input: NearestInput;
}

export type ThreadResponse =
  | { readonly id: number; readonly nearest: Nearest }
  | { readonly id: number; readonly error: string };

/** In the folder of this file, as source or compiled. */
const WORKER = fileURLToPath(
  new URL(`vector-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);

/**
 * The thread that holds the vectors and compares them: begun by the first search, and again after a failure. By hand: a
 * thread of tinypool is for one task, it sleeps between two of them, and this one keeps what it has loaded and a connection.
 */
export class VectorThread implements NearestSearch {
  readonly #databaseUrl: string;
  readonly #waiting = new Map<number, PromiseWithResolvers<Nearest>>();
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  nearest(input: NearestInput): Promise<Nearest> {
    if (this.#isClosed) return Promise.reject(new Error('the thread of vectors was ended'));
    this.#worker ??= this.#start();
    this.#lastId += 1;
    const waiting = Promise.withResolvers<Nearest>();
    this.#waiting.set(this.#lastId, waiting);
    this.#worker.postMessage({ id: this.#lastId, input } satisfies ThreadRequest);
    return waiting.promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const workerData: ThreadData = { databaseUrl: this.#databaseUrl };
    const worker = new Worker(WORKER, { workerData });
    // It does not keep the process.
    worker.unref();
    let failure = new Error('the thread of vectors has ended');
    worker.on('message', (response: ThreadResponse) => this.#answer(response));
    worker.on('error', (error) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(failure);
      this.#waiting.clear();
    });
    return worker;
  }

  #answer(response: ThreadResponse): void {
    const waiting = this.#waiting.get(response.id);
    this.#waiting.delete(response.id);
    if ('nearest' in response) waiting?.resolve(response.nearest);
    else waiting?.reject(new Error(response.error));
  }
}
