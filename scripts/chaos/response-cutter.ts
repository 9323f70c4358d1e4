import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** `lost`: no byte arrives. `torn`: the first half arrives. In both cases the connection is cut. */
type Fate = 'arrives' | 'lost' | 'torn';

/** Called with each answer to a POST, when the server has sent all of it. */
export type Judge = (answer: string) => Fate;

/**
 * An HTTP proxy that reads a whole answer from the server before it decides whether the caller gets it. For the
 * server such an answer is finished and its connection alive: it cannot see that the answer was not read.
 */
export class ResponseCutter {
  readonly #server: Server;
  readonly #targetPort: number;
  readonly #upstream = new Agent({ keepAlive: true });
  /** Undefined: everything passes as it comes. */
  judge: Judge | undefined;
  /** Number of answers that did not arrive completely. */
  cuts = 0;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((incoming, outgoing) => this.#carry(incoming, outgoing));
  }

  static async open(targetPort: number): Promise<ResponseCutter> {
    const cutter = new ResponseCutter(targetPort);
    await new Promise<void>((resolve) => cutter.#server.listen(0, '127.0.0.1', resolve));
    return cutter;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#upstream.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #carry(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method, url, headers } = incoming;
    const target = { host: '127.0.0.1', port: this.#targetPort, agent: this.#upstream };
    const asked = request({ ...target, method, path: url, headers });
    const giveUp = () => outgoing.destroy();
    asked.on('error', giveUp);
    let hasAnswered = false;
    asked.on('response', (answer) => {
      answer.on('end', () => {
        hasAnswered = true;
      });
      answer.on('error', giveUp);
      answer.on('aborted', giveUp);
      // A stream that ends only with its connection (GET) never finishes.
      if (this.judge && method === 'POST') void this.#decide(answer, outgoing, this.judge);
      else answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers));
    });
    outgoing.on('close', () => {
      // When the caller closes the connection itself, the request to the server is closed too; when the proxy cut it,
      // it is not.
      if (!hasAnswered) asked.destroy();
    });
    incoming.pipe(asked);
  }

  async #decide(answer: IncomingMessage, outgoing: ServerResponse, judge: Judge): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of answer) chunks.push(chunk);
    } catch {
      // The server closed the connection, and `giveUp` closes the one to the caller.
      return;
    }
    const body = Buffer.concat(chunks);
    const fate = judge(body.toString());
    if (fate !== 'arrives') this.cuts += 1;
    if (fate === 'lost') {
      outgoing.socket?.resetAndDestroy();
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    if (fate === 'arrives') outgoing.end(body);
    else outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
  }
}

/** Cuts every n-th answer; every fourth of those is torn. */
export function everyNth(n: number): Judge {
  let count = 0;
  return () => {
    count += 1;
    if (count % n !== 0) return 'arrives';
    return (count / n) % 4 === 0 ? 'torn' : 'lost';
  };
}

/**
 * Cuts the first answer that contains each of the words which `wordsOf` returns; `seen`: the words whose answer was
 * cut.
 */
export function theFirstOfEach(
  wordsOf: (answer: string) => readonly string[],
  seen = new Set<string>(),
): Judge {
  return (answer) => {
    const unseen = wordsOf(answer).filter((word) => !seen.has(word));
    for (const word of unseen) seen.add(word);
    return unseen.length > 0 ? 'lost' : 'arrives';
  };
}
