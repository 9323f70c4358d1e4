import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readServices, type ServiceEntry } from '../../tests/e2e/start/product-process.ts';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** What is visible only on the machine that the product runs on: its files and processes. */
export class Host {
  readonly home: string;
  /** The folder that may hold projects. */
  readonly roots: string;

  constructor(home: string, roots: string) {
    this.home = home;
    this.roots = roots;
  }

  services(): Promise<ServiceEntry[]> {
    return readServices(this.home);
  }

  /** The texts in the files of `secrets`. */
  async secrets(): Promise<string[]> {
    const folder = join(this.home, 'secrets');
    const names = await readdir(folder);
    const texts = await Promise.all(
      names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')),
    );
    return texts.map((text) => text.trim()).filter((text) => text.length > 8);
  }

  async pidOf(service: string): Promise<number> {
    const entry = (await this.services()).find(({ name }) => name === service);
    if (!entry) throw new Error(`${service} does not run`);
    return entry.pid;
  }

  /** Resident memory of a process, in bytes. */
  async residentBytes(pid: number): Promise<number> {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  }

  /** Everything that the services have logged so far. */
  async logs(): Promise<string> {
    const folder = join(this.home, 'logs');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.log') && name !== 'postgres.log');
    return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('');
  }

  /** The account that agents run as when the product runs as root. */
  async agentsAccount(): Promise<Account> {
    const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
    const line = ['aizuchi-agent', 'nobody'].flatMap((name) => lines.filter(([first]) => first === name))[0];
    return { uid: Number(line?.[2]), gid: Number(line?.[3]) };
  }

  /** Runs a shell script as another account, if this account may change to it; returns all its output. */
  async shell(
    script: string,
    args: readonly string[],
    account?: Account,
  ): Promise<{ code: number; said: string }> {
    return new Promise((resolve) => {
      const options = { cwd: '/', timeout: 30_000, ...account };
      execFile('/bin/sh', ['-c', script, 'sh', ...args], options, (error, stdout, stderr) =>
        resolve({
          code: typeof error?.code === 'number' ? error.code : error ? -1 : 0,
          said: stdout + stderr,
        }),
      );
    });
  }

  /** Ids of the processes whose command line contains the word. */
  async processesWith(word: string): Promise<number[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const lines = await Promise.all(
      pids.map(async (pid) => ({
        pid,
        line: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
      })),
    );
    return lines.filter(({ line }) => line.includes(word)).map(({ pid }) => pid);
  }

  /** A process and all its descendants. */
  async treeOf(pid: number): Promise<number[]> {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    const below = await Promise.all(
      children
        .split(' ')
        .filter(Boolean)
        .map((child) => this.treeOf(Number(child))),
    );
    return [pid, ...below.flat()];
  }

  /** The program of a process; empty if the process has ended. */
  programOf(pid: number): Promise<string> {
    return readlink(`/proc/${pid}/exe`).catch(() => '');
  }
}
