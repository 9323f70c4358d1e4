import { once } from 'node:events';
import net from 'node:net';
import { addressOf } from './ask.ts';

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** Opens a plain TCP connection. */
export async function openSocket(base: string, from?: string): Promise<net.Socket> {
  const { hostname, port } = addressOf(base);
  const socket = net.connect({ host: hostname, port, ...(from !== undefined && { localAddress: from }) });
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect', { signal: AbortSignal.timeout(10_000) });
  return socket;
}

/** Sends the bytes unchanged and returns everything that comes back; status 0 if nothing did. */
export async function sendRaw(base: string, bytes: string, from?: string): Promise<RawAnswer> {
  const socket = await openSocket(base, from);
  const chunks: Buffer[] = [];
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.setTimeout(5_000, () => socket.destroy());
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(bytes, 'latin1');
  await closed;
  const text = Buffer.concat(chunks).toString('latin1');
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0), text };
}

/** A request from these lines; the connection ends with its answer. */
export function requestOf(line: string, headers: readonly string[]): string {
  return [line, ...headers, 'Connection: close', '', ''].join('\r\n');
}

/** The Host header that the server expects. */
export function hostOf(base: string): string {
  return new URL(base).host;
}
