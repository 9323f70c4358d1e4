import type { Attack } from './attack.ts';
import { bearers } from './attacks/bearers.ts';
import { descendants } from './attacks/descendants.ts';
import { exchange } from './attacks/exchange.ts';
import { folders } from './attacks/folders.ts';
import { gone } from './attacks/gone.ts';
import { headers } from './attacks/headers.ts';
import { inside } from './attacks/inside.ts';
import { leastPrivilege } from './attacks/least-privilege.ts';
import { names } from './attacks/names.ts';
import { paths } from './attacks/paths.ts';
import { planted } from './attacks/planted.ts';
import { processMemory } from './attacks/process-memory.ts';
import { revoked } from './attacks/revoked.ts';
import { rights } from './attacks/rights.ts';
import { signIn } from './attacks/sign-in.ts';
import { slowBodies } from './attacks/slow-bodies.ts';
import { sound } from './attacks/sound.ts';
import { storage } from './attacks/storage.ts';
import { surrogates } from './attacks/surrogates.ts';

/** In the order of the rows of the table. */
export const attacks: readonly Attack[] = [
  ...sound,
  ...folders,
  ...planted,
  ...exchange,
  ...signIn,
  ...descendants,
  ...processMemory,
  ...slowBodies,
  ...storage,
  ...revoked,
  ...bearers,
  ...paths,
  ...gone,
  ...names,
  ...surrogates,
  ...headers,
  ...rights,
  ...leastPrivilege,
  ...inside,
];
