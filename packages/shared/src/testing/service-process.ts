import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  /** Its address, as soon as it is ready. Rejects with what it wrote when it ends before. */
  readonly ready: () => Promise<string>;
}

/** One service as processes of its own, run from its bundle in dist/: `npm test` builds that, vitest alone does not. */
export class ServiceProcesses {
  readonly #main: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #children: ChildProcess[] = [];

  constructor(main: string, env: NodeJS.ProcessEnv) {
    this.#main = main;
    this.#env = env;
  }

  run(overrides: NodeJS.ProcessEnv = {}): ServiceProcess {
    const child = spawn(process.execPath, [this.#main], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { PATH: process.env.PATH, ...this.#env, ...overrides },
    });
    this.#children.push(child);
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8');
    });
    const first = Promise.race([
      once(child, 'message').then(([message]): string => message.url),
      // At its exit what it wrote may not be read yet.
      once(child, 'close').then(() => Promise.reject(new Error(stderr))),
    ]);
    // Not every test waits for it.
    first.catch(() => undefined);
    return { child, stderr: () => stderr, ready: () => first };
  }

  killAll(): void {
    for (const child of this.#children.splice(0)) child.kill('SIGKILL');
  }
}
