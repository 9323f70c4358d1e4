import {
  accessTokenPageSchema,
  changePasskeyBodySchema,
  createdTokenSchema,
  createTokenBodySchema,
  loginBodySchema,
  loginResultSchema,
  meSchema,
} from '../auth.ts';
import { pageQuerySchema } from '../page.ts';
import { tokenId } from './params.ts';
import type { RouteDefinition } from './route.ts';

export const AUTH_ROUTES = {
  login: {
    method: 'POST',
    path: '/api/auth/login',
    caller: 'public',
    hasOwnLimit: true,
    tag: 'Auth',
    summary: 'Sign in with a passkey, or with the code of a sign-in link',
    description:
      'After the third failure in a row of an account the next attempts from that address are held 1, 2, then 3 s before they are checked, right ones too; nobody is locked out. 429: too many wait already. A browser that has signed in before sends a cookie (aizuchi_device), and does not wait for others. Every failure answers 401 with one text. Where AIZUCHI_LOCALE is not set, the first sign-in of the owner in another language (`locale`, else Accept-Language) rewrites the welcome project in it, as far as nobody has changed it.',
    body: loginBodySchema,
    success: 200,
    response: loginResultSchema,
  },
  logout: {
    method: 'POST',
    path: '/api/auth/logout',
    caller: 'person',
    tag: 'Auth',
    summary: 'End this sign-in: its token and cookie open nothing any more',
    success: 204,
  },
  me: {
    method: 'GET',
    path: '/api/auth/me',
    caller: 'person',
    tag: 'Auth',
    summary: 'Who is calling',
    success: 200,
    response: meSchema,
  },
  changePasskey: {
    method: 'POST',
    path: '/api/auth/passkey',
    caller: 'person',
    tag: 'Auth',
    summary: "Change the caller's own passkey",
    description: "The caller's other sign-ins end; API tokens stay.",
    body: changePasskeyBodySchema,
    success: 204,
  },
  listTokens: {
    method: 'GET',
    path: '/api/auth/tokens',
    caller: 'person',
    tag: 'Auth',
    summary: "The caller's API tokens",
    query: pageQuerySchema,
    success: 200,
    response: accessTokenPageSchema,
  },
  createToken: {
    method: 'POST',
    path: '/api/auth/tokens',
    caller: 'person',
    tag: 'Auth',
    summary: 'Make a named API token; it is shown once',
    body: createTokenBodySchema,
    success: 201,
    response: createdTokenSchema,
  },
  deleteToken: {
    method: 'DELETE',
    path: '/api/auth/tokens/:tokenId',
    caller: 'person',
    tag: 'Auth',
    summary: 'Revoke an API token',
    params: tokenId,
    success: 204,
  },
} as const satisfies Record<string, RouteDefinition>;
