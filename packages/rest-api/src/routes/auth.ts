import { AppError } from '@aizuchi/shared/errors';
import type { FastifyRequest } from 'fastify';
import type { RestContext } from '../context.ts';
import { clearSessionCookie, credentialsOf, sealCookie, setSessionCookie } from '../plugins/credentials.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names = 'login' | 'logout' | 'me' | 'changePasskey' | 'listTokens' | 'createToken' | 'deleteToken';

export function authRoutes({ auth, config }: RestContext): HandlersOf<Names> {
  const isSecure = config.server.publicUrl?.startsWith('https:') ?? false;
  return {
    login: async ({ body, request, reply }) => {
      const { token, csrf, agent, expiresAt } = await auth.login(body, request.ip);
      const value = sealCookie({ token, csrf });
      setSessionCookie(request, reply, { value, expires: new Date(expiresAt), secure: isSecure });
      return { token, csrf, agent, expiresAt };
    },
    logout: async ({ request, reply }) => {
      await auth.logout(ownToken(request));
      clearSessionCookie(request, reply, isSecure);
      return undefined;
    },
    me: ({ person }) => auth.me(person),
    changePasskey: async ({ person, body, request }) => {
      await auth.changePasskey(person, body.current, body.new, ownToken(request));
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

/** The bearer of this very call, also when it came by cookie. */
function ownToken(request: FastifyRequest): string {
  const credentials = credentialsOf(request);
  if (!credentials) throw new AppError('unauthenticated', 'Sign in first.');
  return credentials.token;
}
