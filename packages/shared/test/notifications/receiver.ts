import {
  createDecipheriv,
  createECDH,
  createHmac,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { z } from 'zod';

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A push service, webhook or ntfy server on this host: it keeps what it is sent and answers as it is told. */
export class Receiver {
  readonly received: Received[] = [];
  /** The statuses of the next answers; then 201. */
  readonly answers: number[] = [];
  /** Set: answers wait for it. */
  gate: Promise<void> | undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', async () => {
        const { url: path = '', headers } = request;
        receiver.received.push({ path, headers, body: Buffer.concat(parts) });
        await receiver.gate;
        response.writeHead(receiver.answers.shift() ?? 201, { location: '/elsewhere' }).end('said');
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return receiver;
  }

  get host(): string {
    const address = this.#server.address();
    return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** What came to this path, the oldest first. */
  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}

/** A browser's side of a push subscription. */
export class PushBrowser {
  readonly #keys: ECDH = createECDH('prime256v1');
  readonly #auth = randomBytes(16);

  constructor() {
    this.#keys.generateKeys();
  }

  get keys() {
    return { p256dh: this.#keys.getPublicKey('base64url'), auth: this.#auth.toString('base64url') };
  }

  /** RFC 8188 and 8291, written from the specification: what the library encrypts, a browser must be able to read. */
  decrypt(body: Buffer): string {
    const [salt, senderLength] = [body.subarray(0, 16), body.readUInt8(20)];
    const sender = body.subarray(21, 21 + senderLength);
    const shared = this.#keys.computeSecret(sender);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#keys.getPublicKey(), sender]);
    const ikm = Buffer.from(hkdfSync('sha256', shared, this.#auth, info, 32));
    const key = Buffer.from(hkdfSync('sha256', ikm, salt, 'Content-Encoding: aes128gcm\0', 16));
    const nonce = Buffer.from(hkdfSync('sha256', ikm, salt, 'Content-Encoding: nonce\0', 12));
    const record = body.subarray(21 + senderLength);
    const decipher = createDecipheriv('aes-128-gcm', key, nonce);
    decipher.setAuthTag(record.subarray(-16));
    const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    return plain.subarray(0, plain.lastIndexOf(2)).toString('utf8');
  }
}

/** The claims of a VAPID header (RFC 8292), if it was signed with this key. */
export function vapidClaims(header: string, publicKey: string): unknown {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(header) ?? [];
  const point = Buffer.from(publicKey, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const [head = '', claims = '', signature = ''] = token.split('.');
  const isRight = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  return isRight && key === publicKey ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : undefined;
}

/** Whether a call of a webhook was signed with the secret, and when. */
export function signedAt({ headers, body }: Received, secret: string): number | undefined {
  const [, seconds = '', proof] =
    /^t=(\d+),v1=([\da-f]{64})$/.exec(String(headers['aizuchi-signature'])) ?? [];
  const expected = createHmac('sha256', secret).update(`${seconds}.${body.toString()}`).digest('hex');
  return proof === expected ? Number(seconds) * 1_000 : undefined;
}

export const bodyOf = (received: Received | undefined): unknown =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(received?.body.toString() ?? 'null'));
