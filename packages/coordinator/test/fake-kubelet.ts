import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { RUN_LABEL } from '../src/executor/docker/box.ts';
import { LAUNCH_FOLDER } from '../src/executor/kubernetes/job-spec.ts';
import { findRunProcesses } from '../src/process/run-processes.ts';

const SIGNALLED = 128;

/** Of a pod, what its node needs. */
export const podSpecSchema = z.looseObject({
  terminationGracePeriodSeconds: z.number().optional(),
  containers: z.tuple([
    z.looseObject({
      command: z.array(z.string()),
      args: z.array(z.string()),
      workingDir: z.string(),
      env: z.array(
        z.union([
          z.object({ name: z.string(), value: z.string() }),
          z.object({
            name: z.string(),
            valueFrom: z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) }),
          }),
        ]),
      ),
    }),
  ]),
});
export type PodSpec = z.infer<typeof podSpecSchema>;
export type SecretData = Readonly<Record<string, string>>;

/** A pod as a node runs it: here its container is a process of this host, and its secret a folder in the temp folder. */
export class FakeKubelet {
  /** What it has said; it is told of more by `said`. */
  output = Buffer.alloc(0);
  readonly ended: Promise<number>;
  readonly #child: ChildProcess;
  readonly #readers = new Set<(chunk: Buffer | undefined) => void>();
  #isOver = false;

  private constructor(child: ChildProcess, runId: string, folder: string) {
    this.#child = child;
    child.stdout?.on('data', (chunk: Buffer) => {
      this.output = Buffer.concat([this.output, chunk]);
      for (const reader of this.#readers) reader(chunk);
    });
    this.ended = this.#end(runId, folder);
  }

  static async run(
    labels: Readonly<Record<string, string>>,
    spec: PodSpec,
    secret: SecretData,
  ): Promise<FakeKubelet> {
    const folder = await mkdtemp(join(tmpdir(), 'kubelet-'));
    for (const [name, value] of Object.entries(secret))
      await writeFile(join(folder, name), Buffer.from(value, 'base64'), { mode: 0o444 });
    const [{ command, args, workingDir, env: variables }] = spec.containers;
    const env: Record<string, string> = {};
    for (const variable of variables)
      env[variable.name] =
        'value' in variable
          ? expanded(variable.value, env)
          : Buffer.from(secret[variable.valueFrom.secretKeyRef.key] ?? '', 'base64').toString();
    const [file = '', ...rest] = command.map((part) => expanded(part, env).replaceAll(LAUNCH_FOLDER, folder));
    const given = args.map((part) => expanded(part, env));
    // One stream for both outputs, as a cluster has it.
    const child = spawn('/bin/sh', ['-c', 'exec "$@" 2>&1', 'sh', file, ...rest, ...given], {
      cwd: workingDir,
      env: { PATH: '/usr/bin:/bin', ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child, 'spawn');
    return new FakeKubelet(child, labels[RUN_LABEL] ?? '', folder);
  }

  /** SIGTERM, the grace, SIGKILL. */
  async stop(graceMs: number): Promise<void> {
    this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child.kill('SIGKILL'), graceMs);
    await this.ended;
    clearTimeout(late);
  }

  /** All of the output, and with `isFollowing` what comes until the end. */
  read(isFollowing: boolean, take: (chunk: Buffer | undefined) => void): void {
    if (this.output.length > 0) take(this.output);
    if (this.#isOver || !isFollowing) take(undefined);
    else this.#readers.add(take);
  }

  /** What it has of memory, as the cluster measures it. */
  async memory(): Promise<string | undefined> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8').catch(() => '');
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
    return kib && `${kib}Ki`;
  }

  async #end(runId: string, folder: string): Promise<number> {
    const closed = once(this.#child, 'close');
    const [code, signal] = z
      .tuple([z.number().nullable(), z.string().nullable()])
      .parse(await once(this.#child, 'exit'));
    // With its container a pod ends all that lives in it.
    let left = await findRunProcesses({ traceId: runId });
    while (left.length > 0) {
      for (const { pid } of left) kill(pid);
      left = await findRunProcesses({ traceId: runId });
    }
    await closed;
    await rm(folder, { recursive: true });
    this.#isOver = true;
    for (const reader of this.#readers) reader(undefined);
    this.#readers.clear();
    return code ?? SIGNALLED + numberOf(signal);
  }
}

/** As a node does it with arguments and variables. */
function expanded(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\((\w+)\)/g, (all, name) => (all === '$$' ? '$' : (env[name] ?? all)));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

function numberOf(signal: string | null): number {
  return Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0;
}
