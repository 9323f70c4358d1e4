import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';

type Request = Pick<IncomingMessage, 'headers' | 'httpVersion' | 'rawHeaders' | 'url'>;

/**
 * A request names its server once (RFC 9112 §3.2). With two Host headers, or a target whose host differs from
 * Host, a proxy in front and this server see different servers. HTTP/1.0 may omit Host; the name is then
 * unknown.
 *
 * @throws AppError invalid_input
 */
export function requireOneTarget(request: Request): void {
  const { rawHeaders, httpVersion } = request;
  let hosts = 0;
  // `headers` contains only the first of several.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    throw new AppError('invalid_input', 'A request must have exactly one Host header.');
  const target = originForm(request);
  if (!target.startsWith('/') && target !== '*')
    throw new AppError(
      'invalid_input',
      'The request target is no path of the host that the Host header names.',
    );
}

/** `/path?query`, also of a target that names its host (`http://host/path`); that of another host stays as it is. */
export function originForm({ url = '/', headers: { host } }: Pick<Request, 'headers' | 'url'>): string {
  if (url.startsWith('/')) return url;
  const [, authority, path = ''] = /^https?:\/\/([^/?#]+)(.*)$/is.exec(url) ?? [];
  if (authority === undefined || authority.toLowerCase() !== host?.toLowerCase()) return url;
  return path.startsWith('/') ? path : `/${path}`;
}
