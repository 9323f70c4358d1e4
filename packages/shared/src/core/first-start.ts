import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { newPasskeySchema } from '../contract/agent.ts';
import { systemClock } from '../platform/clock.ts';
import { type Database, openDatabase, type Tx } from '../platform/db/database.ts';
import { AppError } from '../platform/errors.ts';
import { newId, newSecret } from '../platform/ids.ts';
import { type Locale, WELCOME_TEXTS } from '../platform/texts/welcome-texts.ts';
import { hashToken } from '../platform/token-hash.ts';
import { HOME_NAME } from '../platform/transcript/transcript-place.ts';
import { appendAudit } from './access/audit-queries.ts';
import { folderOverlap } from './access/folder-overlap-queries.ts';
import { AgentQueries, type NewAgent, type StoredPasskey } from './agents/agent-queries.ts';
import { findPersonOrOwner, isKnownAgent } from './agents/owner-queries.ts';
import { hashPasskey, verifyPasskey } from './credentials/passkey.ts';
import { type PasskeyTag, PasskeyTags } from './credentials/passkey-tags.ts';
import { TokenQueries } from './credentials/token-queries.ts';
import { ProjectQueries } from './projects/project-queries.ts';
import { type PreparedDirectory, prepareDefaultDirectory } from './projects/working-directory.ts';
import { setUpMember } from './removal/remove.ts';
import { endOfColumn } from './tasks/rules/task-place.ts';
import { TaskQueries } from './tasks/task-queries.ts';
import { OWNER_ID, WELCOME_AGENT_IDS, WELCOME_PROJECT_ID } from './welcome/welcome-ids.ts';
import { WelcomeQueries } from './welcome/welcome-queries.ts';

const CODE_MS = 15 * 60_000;

export interface FirstStartOptions {
  /** Migrated. */
  readonly databaseUrl: string;
  /** Set at each start when given. */
  readonly ownerPasskey?: string | undefined;
  readonly locale: Locale;
  /** Somebody has set it. Else the first sign-in of the owner may rewrite the texts in its own language. */
  readonly isLocaleGiven?: boolean;
  readonly workspaceRoots: readonly string[];
  readonly home: string;
  /**
   * The token of the services that will check these passkeys; without it the first sign-in makes their tags.
   */
  readonly internalToken?: string | undefined;
}

/**
 * Creates what an empty database lacks: the owner, the welcome project, its two agents and a few tasks.
 * Idempotent, safe when two processes start at the same time; what a person has deleted is not created again.
 * Returns the owner's passkey when this call generated it: it is not available anywhere else.
 */
export async function seedFirstStart(options: FirstStartOptions): Promise<{ ownerPasskey?: string }> {
  return withDatabase(options.databaseUrl, async (database) => {
    const generated = await seedOwner(database, options);
    await seedWelcome(database, options);
    // Set since: the texts stay as they are.
    if (options.isLocaleGiven) await new WelcomeQueries(database.db).close();
    return generated === undefined ? {} : { ownerPasskey: generated };
  });
}

/**
 * A code for the sign-in link: valid once, for 15 minutes. When that person has been deleted it signs in the
 * oldest owner instead (there is always one): a start must not fail because of it.
 */
export async function createSignInCode(options: { databaseUrl: string; agentId: string }): Promise<string> {
  return withDatabase(options.databaseUrl, async ({ db }) => {
    const agentId = await findPersonOrOwner(db, options.agentId);
    if (agentId === undefined) throw new AppError('agent_not_found', 'There is nobody who could sign in.');
    const now = systemClock.now();
    const code = newSecret();
    const tokens = new TokenQueries(db);
    await tokens.pruneCodes(now);
    const expiresAt = new Date(now.getTime() + CODE_MS);
    await tokens.insertCode({ codeHash: hashToken(code), agentId, expiresAt });
    return code;
  });
}

async function seedOwner(database: Database, options: FirstStartOptions): Promise<string | undefined> {
  const given = options.ownerPasskey;
  if (given !== undefined && !newPasskeySchema.safeParse(given).success)
    throw new AppError('invalid_input', 'AIZUCHI_OWNER_PASSKEY must have 8 to 1000 characters.');
  const agents = new AgentQueries(database.db);
  const isNew = !(await isKnownAgent(database.db, OWNER_ID));
  if (!isNew && given === undefined) return undefined;
  const passkey = given ?? newSecret();
  const old = isNew ? undefined : await agents.credential(OWNER_ID);
  if (old && (await verifyPasskey(passkey, old.passkeyHash))) {
    // The token may have changed since.
    const { passkeyHash } = old;
    await agents.renewPasskeyTag(OWNER_ID, { passkeyHash, ...tagOf(OWNER_ID, passkey, options) });
    return undefined;
  }
  const stored = await storedPasskey(OWNER_ID, passkey, options);
  const made = await database.transaction((tx) =>
    storeOwner(tx, stored, given !== undefined, options.locale),
  );
  return made && given === undefined ? passkey : undefined;
}

/** True when this call created the owner; of two that start at the same time only one gets true. */
async function storeOwner(
  tx: Tx,
  passkey: StoredPasskey,
  isGiven: boolean,
  locale: Locale,
): Promise<boolean> {
  const agents = new AgentQueries(tx.db);
  const now = systemClock.now();
  const owner = person(OWNER_ID, WELCOME_TEXTS[locale].ownerName);
  const made = await agents.insert(owner, now);
  // Deleted by a person: it is not created again, whatever the variable says.
  if (!(made || (isGiven && (await agents.lock(OWNER_ID))))) return false;
  await agents.setPasskey(OWNER_ID, passkey, now);
  if (!made) await new TokenQueries(tx.db).endAll(OWNER_ID, now);
  await appendAudit(tx.db, { actorId: 'system', action: 'passkey.set', targetId: OWNER_ID });
  return made;
}

async function seedWelcome(database: Database, options: FirstStartOptions): Promise<void> {
  if (await new ProjectQueries(database.db).isKnown(WELCOME_PROJECT_ID)) return;
  const directory = await prepareOwnDirectory(options);
  const { guide, helper } = WELCOME_AGENT_IDS;
  const passkeys = await Promise.all([guide, helper].map((id) => storedPasskey(id, newSecret(), options)));
  await database.transaction((tx) => storeWelcome(tx, directory, passkeys, options));
}

/**
 * A folder in which no chat is kept: that of an earlier home with the same workspace stays as it is, and nothing in it
 * would be taken for altered.
 */
async function prepareOwnDirectory(options: FirstStartOptions): Promise<PreparedDirectory> {
  for (let number = 2, name: string = WELCOME_PROJECT_ID; ; number += 1) {
    const directory = await prepareDefaultDirectory(name, options);
    if (directory.made || !(await keepsChats(directory.path))) return directory;
    name = `${WELCOME_PROJECT_ID}-${number}`;
  }
}

function keepsChats(path: string): Promise<boolean> {
  return access(join(path, HOME_NAME)).then(
    () => true,
    () => false,
  );
}

async function storeWelcome(
  tx: Tx,
  directory: PreparedDirectory,
  passkeys: readonly StoredPasskey[],
  { locale, isLocaleGiven = false }: Pick<FirstStartOptions, 'locale' | 'isLocaleGiven'>,
): Promise<void> {
  const texts = WELCOME_TEXTS[locale];
  const now = systemClock.now();
  const projects = new ProjectQueries(tx.db);
  await projects.lockDirectories();
  // The folder, or one around or inside it, is used already: people can create the project elsewhere.
  if ((await folderOverlap(tx.db, directory.path)) !== undefined) return;
  const inserted = await projects.insert(
    {
      id: WELCOME_PROJECT_ID,
      name: texts.project.name,
      description: texts.project.description,
      workingDirectory: directory.path,
      workingDirectoryMade: directory.made,
      permissionPolicy: 'ask',
      egress: null,
      isolation: 'shared',
    },
    now,
  );
  // Another process has just created it, completely.
  if (!inserted) return;
  const agents = new AgentQueries(tx.db);
  const made = [
    { id: WELCOME_AGENT_IDS.guide, ...texts.guide },
    { id: WELCOME_AGENT_IDS.helper, ...texts.helper },
  ];
  for (const [index, { id, name, role }] of made.entries()) {
    await agents.insert(builtinAgent(id, name, role), now);
    const passkey = passkeys[index];
    if (passkey) await agents.setPasskey(id, passkey, now);
    await projects.addMember(WELCOME_PROJECT_ID, id, now);
    await setUpMember(tx, { projectId: WELCOME_PROJECT_ID, agentId: id });
  }
  await storeTasks(tx, locale, now);
  if (!isLocaleGiven) await new WelcomeQueries(tx.db).open(locale);
}

async function storeTasks(tx: Tx, locale: Locale, now: Date): Promise<void> {
  const tasks = new TaskQueries(tx.db);
  for (const [place, task] of WELCOME_TEXTS[locale].tasks.entries()) {
    await tasks.insert(
      {
        ...task,
        id: newId('tsk'),
        projectId: WELCOME_PROJECT_ID,
        priority: 'medium',
        assigneeId: OWNER_ID,
        parentId: null,
        labels: [],
        dueDate: null,
        position: endOfColumn(now) + place,
        createdBy: OWNER_ID,
      },
      now,
    );
  }
}

async function storedPasskey(
  agentId: string,
  passkey: string,
  options: FirstStartOptions,
): Promise<StoredPasskey> {
  return { passkeyHash: await hashPasskey(passkey), ...tagOf(agentId, passkey, options) };
}

function tagOf(agentId: string, passkey: string, { internalToken }: FirstStartOptions): PasskeyTag {
  if (internalToken === undefined) return { passkeyTag: null, passkeyTagKey: null };
  return new PasskeyTags(internalToken).make(agentId, passkey);
}

const NO_PROVIDER = {
  role: null,
  systemPrompt: null,
  model: null,
  baseUrl: null,
  apiKeyEnv: null,
  command: null,
  labels: [],
  maxParallelTasks: 1,
  dailyTokenLimit: null,
  limits: null,
  image: null,
  executor: 'any',
} as const;

function person(id: string, name: string): NewAgent {
  return { ...NO_PROVIDER, id, name, type: 'human', accessLevel: 'owner', provider: null };
}

function builtinAgent(id: string, name: string, role: string): NewAgent {
  return { ...NO_PROVIDER, id, name, role, type: 'ai', accessLevel: null, provider: 'builtin' };
}

async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase({ url, maxConnections: 2, applicationName: 'aizuchi-start' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
