import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

const maxBytes = 20 * 1024 * 1024;

/** An append-only log of bounded size: a full file is renamed to `<file>.1`. */
export class LogFile {
  readonly #path: string;
  #fd: number;
  #size: number;

  constructor(path: string) {
    this.#path = path;
    this.#fd = openSync(path, 'a', 0o600);
    this.#size = fstatSync(this.#fd).size;
  }

  write(chunk: string | Uint8Array): void {
    if (this.#size > maxBytes) this.#rotate();
    this.#size += typeof chunk === 'string' ? writeSync(this.#fd, chunk) : writeSync(this.#fd, chunk);
  }

  #rotate(): void {
    closeSync(this.#fd);
    renameSync(this.#path, `${this.#path}.1`);
    this.#fd = openSync(this.#path, 'a', 0o600);
    this.#size = 0;
  }
}
