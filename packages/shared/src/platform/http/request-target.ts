import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';

type Request = Pick<IncomingMessage, 'headers' | 'httpVersion' | 'rawHeaders' | 'url'>;

/**
 * A request names its server once (RFC 9112 §3.2). Two Host headers, or a target of another host than Host says, let a
 * proxy in front and us see different servers. HTTP/1.0 may leave Host out; under which name it came is then unknown.
 *
 * @throws AppError invalid_input
 */
export function requireOneTarget(request: Request): void {
  const { rawHeaders, httpVersion } = request;
  let hosts = 0;
  // `headers` holds the first of several only.
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
