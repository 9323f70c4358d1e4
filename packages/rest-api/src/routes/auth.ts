import type { SignInOrigin } from '@aizuchi/shared/core/auth/sign-in-guard';
import { AppError } from '@aizuchi/shared/platform/errors';
import { type Locale, localeOfHeader } from '@aizuchi/shared/platform/texts/locale';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RestContext } from '../context.ts';
import {
  clearSessionCookie,
  credentialsOf,
  deviceCookie,
  isFromBrowser,
  sealCookie,
  setDeviceCookie,
  setSessionCookie,
} from '../plugins/credentials.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names = 'login' | 'logout' | 'me' | 'changePasskey' | 'listTokens' | 'createToken' | 'deleteToken';

export function authRoutes({ auth, config, welcome, logger }: RestContext): HandlersOf<Names> {
  const isSecure = config.server.publicUrl?.startsWith('https:') ?? false;
  const keepDevice = (request: FastifyRequest, reply: FastifyReply, device: string | undefined) => {
    if (device !== undefined && isFromBrowser(request))
      setDeviceCookie(request, reply, { value: device, secure: isSecure });
  };
  /** The person is signed in by now: a fault here leaves the texts as they are until the next sign-in. */
  const settle = (personId: string, locale: Locale) =>
    welcome.settle(personId, locale).catch((error: unknown) => {
      logger.warn({ err: error }, 'The welcome project could not be written in the language of the owner.');
      return false;
    });
  return {
    login: async ({ body, request, reply }) => {
      const signedIn = await auth.login(body, originOf(request, reply));
      const { token, csrf, expiresAt } = signedIn;
      const locale = body.locale ?? localeOfHeader(request.headers['accept-language']);
      const isRewritten = locale !== undefined && (await settle(signedIn.person.id, locale));
      const agent = isRewritten ? await auth.me(signedIn.person) : signedIn.agent;
      const value = sealCookie({ token, csrf });
      setSessionCookie(request, reply, { value, expires: new Date(expiresAt), secure: isSecure });
      keepDevice(request, reply, signedIn.device);
      return { token, csrf, agent, expiresAt };
    },
    logout: async ({ request, reply }) => {
      await auth.logout(ownToken(request));
      clearSessionCookie(request, reply, isSecure);
      return undefined;
    },
    me: ({ person }) => auth.me(person),
    changePasskey: async ({ person, body, request, reply }) => {
      const { device } = await auth.changePasskey(person, body.current, body.new, ownToken(request));
      keepDevice(request, reply, device);
      return undefined;
    },
    listTokens: ({ person, query }) => auth.listTokens(person, query),
    createToken: ({ person, body }) => auth.createToken(person, body),
    deleteToken: async ({ person, params }) => {
      await auth.deleteToken(person, params.tokenId);
      return undefined;
    },
  };
}

function originOf(request: FastifyRequest, reply: FastifyReply): SignInOrigin {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return {
    surface: isFromBrowser(request) ? 'page' : 'rest',
    address: request.ip,
    device: deviceCookie(request),
    signal: gone.signal,
  };
}

/** The bearer of this call, also when it came in a cookie. */
function ownToken(request: FastifyRequest): string {
  const credentials = credentialsOf(request);
  if (!credentials) throw new AppError('unauthenticated', 'Sign in first.');
  return credentials.token;
}
