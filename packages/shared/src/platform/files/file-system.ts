import fs, { type Stats } from 'node:fs';

/**
 * The operations of a file system that the chat log and the walk to a working directory need: a port, so that
 * tests can make it slow, full or absent. Descriptor numbers instead of FileHandle and callbacks instead of
 * fs.promises: this is on the path of every message, and they cost half as much.
 */
export interface FileSystem {
  realpath(path: string): Promise<string>;
  /** undefined: nothing has this name. */
  lstat(path: string): Promise<Stats | undefined>;
  fstat(fd: number): Promise<Stats>;
  /** Succeeds when the folder exists already. */
  mkdir(path: string, mode: number): Promise<void>;
  open(path: string, flags: number, mode: number): Promise<number>;
  /** Reads at most the buffer's length; returns how many bytes there were. */
  read(fd: number, buffer: Buffer, position: number): Promise<number>;
  /** May write less than asked. */
  write(fd: number, bytes: Buffer, position: number): Promise<number>;
  rename(from: string, to: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  /** Only while it is empty. */
  rmdir(path: string): Promise<void>;
  close(fd: number): Promise<void>;
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Makes a promise of a Node callback. */
function called<T>(start: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error ? reject(error) : resolve(value)));
  });
}

function unlessCode<T>(promise: Promise<T>, code: string): Promise<T | undefined> {
  return promise.catch((error: unknown) => {
    if (errorCode(error) === code) return undefined;
    throw error;
  });
}

export const nodeFileSystem: FileSystem = {
  realpath: (path) => called<string>((done) => fs.realpath(path, done)),
  lstat: (path) =>
    unlessCode(
      called<Stats>((done) => fs.lstat(path, done)),
      'ENOENT',
    ),
  fstat: (fd) => called<Stats>((done) => fs.fstat(fd, done)),
  mkdir: (path, mode) =>
    unlessCode(
      called<void>((done) => fs.mkdir(path, mode, (error) => done(error))),
      'EEXIST',
    ),
  open: (path, flags, mode) => called<number>((done) => fs.open(path, flags, mode, done)),
  read: (fd, buffer, position) =>
    called<number>((done) => fs.read(fd, buffer, 0, buffer.length, position, done)),
  write: (fd, bytes, position) =>
    called<number>((done) => fs.write(fd, bytes, 0, bytes.length, position, done)),
  rename: (from, to) => called<void>((done) => fs.rename(from, to, (error) => done(error))),
  chmod: (path, mode) => called<void>((done) => fs.chmod(path, mode, (error) => done(error))),
  rmdir: (path) => called<void>((done) => fs.rmdir(path, (error) => done(error))),
  close: (fd) => called<void>((done) => fs.close(fd, (error) => done(error ?? null))),
};

/**
 * The same file system with one call under way at a time. A call that hangs (a network folder that is away)
 * occupies one of libuv's few threads; this way one project never occupies more than one of them. Own code:
 * it is on the path of each line, and p-limit takes 1.7 µs per call instead of 0.6.
 */
export function oneAtATime(fileSystem: FileSystem): FileSystem {
  let busy = false;
  const waiting: (() => void)[] = [];
  const inTurn = async <T>(call: () => Promise<T>): Promise<T> => {
    if (busy) await new Promise<void>((resolve) => waiting.push(resolve));
    busy = true;
    try {
      return await call();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else busy = false;
    }
  };
  return {
    realpath: (path) => inTurn(() => fileSystem.realpath(path)),
    lstat: (path) => inTurn(() => fileSystem.lstat(path)),
    fstat: (fd) => inTurn(() => fileSystem.fstat(fd)),
    mkdir: (path, mode) => inTurn(() => fileSystem.mkdir(path, mode)),
    open: (path, flags, mode) => inTurn(() => fileSystem.open(path, flags, mode)),
    read: (fd, buffer, position) => inTurn(() => fileSystem.read(fd, buffer, position)),
    write: (fd, bytes, position) => inTurn(() => fileSystem.write(fd, bytes, position)),
    rename: (from, to) => inTurn(() => fileSystem.rename(from, to)),
    chmod: (path, mode) => inTurn(() => fileSystem.chmod(path, mode)),
    rmdir: (path) => inTurn(() => fileSystem.rmdir(path)),
    close: (fd) => inTurn(() => fileSystem.close(fd)),
  };
}
