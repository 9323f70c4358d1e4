import { AppError } from '../errors.ts';

export interface PlaceRules {
  readonly publicUrl?: string;
  /** `name` or `name:port`, besides the public URL and our loopback names. */
  readonly allowedHosts: readonly string[];
  /** The port of the service that is called; read late, because port 0 is known only after listening. */
  readonly port: () => number;
  /** Without a proxy in front, loopback names reach us from this host only. */
  readonly isLoopback: boolean;
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Decides which Host and Origin are accepted. A page of another site can make a browser send us requests, and
 * by DNS rebinding even under a name of its own: then Host is that name. Origin `null` is never accepted.
 */
export class PlaceCheck {
  readonly #rules: PlaceRules;
  readonly #publicOrigin: string | undefined;
  readonly #hosts: ReadonlySet<string>;
  #loopback: { port: number; hosts: ReadonlySet<string>; origins: ReadonlySet<string> } | undefined;

  constructor(rules: PlaceRules) {
    this.#rules = rules;
    const publicUrl = rules.publicUrl === undefined ? undefined : new URL(rules.publicUrl);
    this.#publicOrigin = publicUrl?.origin;
    this.#hosts = new Set([
      ...rules.allowedHosts.map((host) => host.toLowerCase()),
      ...(publicUrl ? [publicUrl.host, `${publicUrl.hostname}:${portOf(publicUrl)}`] : []),
    ]);
  }

  /** Throws host_not_allowed or origin_not_allowed. */
  check(headers: { readonly host?: string | undefined; readonly origin?: string | undefined }): void {
    if (!this.#isOurHost(headers.host)) {
      throw new AppError(
        'host_not_allowed',
        'This server is not known under that name. Set AIZUCHI_PUBLIC_URL or AIZUCHI_ALLOWED_HOSTS.',
      );
    }
    if (headers.origin !== undefined && !this.#isOurOrigin(headers.origin)) {
      throw new AppError('origin_not_allowed', 'Pages of another origin may not call this server.');
    }
  }

  #isOurHost(given: string | undefined): boolean {
    if (given === undefined) return false;
    const host = given.toLowerCase();
    return this.#ownLoopback().hosts.has(host) || this.#hosts.has(host) || this.#hosts.has(withoutPort(host));
  }

  #isOurOrigin(given: string): boolean {
    const origin = given.toLowerCase();
    if (origin === this.#publicOrigin) return true;
    if (this.#rules.isLoopback && this.#ownLoopback().origins.has(origin)) return true;
    const url = URL.parse(origin);
    if (url === null || !(url.protocol in DEFAULT_PORTS) || url.origin !== origin) return false;
    // A host that is configured besides the public URL serves the same page.
    return this.#rules.allowedHosts.some((host) => [url.host, url.hostname].includes(host.toLowerCase()));
  }

  #ownLoopback() {
    const port = this.#rules.port();
    if (this.#loopback?.port !== port) {
      const hosts = LOOPBACK_NAMES.flatMap((name) =>
        port === 80 ? [name, `${name}:80`] : [`${name}:${port}`],
      );
      const origins = LOOPBACK_NAMES.map((name) => new URL(`http://${name}:${port}`).origin);
      this.#loopback = { port, hosts: new Set(hosts), origins: new Set(origins) };
    }
    return this.#loopback;
  }
}

function portOf(url: URL): string {
  return url.port || (DEFAULT_PORTS[url.protocol] ?? '');
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '');
}
