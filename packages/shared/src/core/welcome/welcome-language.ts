import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { Locale } from '../../platform/texts/locale.ts';
import { WELCOME_TEXTS } from '../../platform/texts/welcome-texts.ts';
import { AgentQueries } from '../agents/agent-queries.ts';
import { lockNames } from '../agents/name-lock-queries.ts';
import { requireFreeName } from '../agents/names.ts';
import type { ServiceDeps } from '../deps.ts';
import { ProjectQueries } from '../projects/project-queries.ts';
import { taskFact } from '../tasks/task-fact.ts';
import { TaskQueries } from '../tasks/task-queries.ts';
import { decideWelcomeRewrite, type WelcomeRewrite } from './rules/welcome-rewrite.ts';
import { OWNER_ID, WELCOME_AGENT_IDS, WELCOME_PROJECT_ID } from './welcome-ids.ts';
import { WelcomeQueries } from './welcome-queries.ts';

type Versions = ReadonlyMap<string, number>;

/** The language of what the first start wrote, where nobody has set one: that of the owner's first sign-in. */
export class WelcomeLanguage {
  readonly #database: ServiceDeps['database'];

  constructor({ database }: Pick<ServiceDeps, 'database'>) {
    this.#database = database;
  }

  /**
   * After a sign-in in this language. The first one of the owner rewrites what nobody has touched, in one transaction;
   * every later one, of two at the same time the second, does nothing. True: something was rewritten.
   */
  async settle(personId: string, locale: Locale): Promise<boolean> {
    if (personId !== OWNER_ID || !(await new WelcomeQueries(this.#database.db).isOpen())) return false;
    return this.#database.transaction(async (tx) => {
      await lockNames(tx.db);
      const writtenIn = await new WelcomeQueries(tx.db).close();
      if (writtenIn === undefined || writtenIn === locale) return false;
      await rewrite(tx, writtenIn, locale);
      return true;
    });
  }
}

async function rewrite(tx: Tx, from: Locale, to: Locale): Promise<void> {
  const welcome = new WelcomeQueries(tx.db);
  const agents = new AgentQueries(tx.db);
  const project = await welcome.lockProject();
  // In the order of their ids.
  const guide = withRole(await agents.lock(WELCOME_AGENT_IDS.guide));
  const helper = withRole(await agents.lock(WELCOME_AGENT_IDS.helper));
  const owner = withRole(await agents.lock(OWNER_ID));
  const tasks = project ? await welcome.lockTasks(project.createdAt) : [];
  const state = { owner, project, guide, helper, tasks };
  const decided = decideWelcomeRewrite(state, WELCOME_TEXTS[from], WELCOME_TEXTS[to]);
  await apply(tx, decided, new Map(tasks.map(({ id, version }) => [id, version])));
}

async function apply(tx: Tx, decided: WelcomeRewrite, versions: Versions): Promise<void> {
  const now = await tx.now();
  const { guide, helper, ownerName, project } = decided;
  if (project) await new ProjectQueries(tx.db).update(WELCOME_PROJECT_ID, project, now);
  if (guide) await rename(tx, WELCOME_AGENT_IDS.guide, guide, now);
  if (helper) await rename(tx, WELCOME_AGENT_IDS.helper, helper, now);
  if (ownerName !== undefined) await rename(tx, OWNER_ID, { name: ownerName }, now);
  for (const { id, ...words } of decided.tasks) {
    await new TaskQueries(tx.db).update(id, versions.get(id) ?? 0, words, now);
    await appendChangeEvents(tx, [taskFact(WELCOME_PROJECT_ID, id)]);
  }
}

/** Unless somebody has this name, or one that looks like it: then the one that it has stays. */
async function rename(
  tx: Tx,
  id: string,
  values: { readonly name: string; readonly role?: string | null },
  now: Date,
): Promise<void> {
  try {
    await requireFreeName(tx, { id, name: values.name }, { of: id === OWNER_ID ? 'everywhere' : 'own' });
  } catch (error) {
    if (error instanceof AppError && error.code === 'name_taken') return;
    throw error;
  }
  await new AgentQueries(tx.db).update(id, values, now);
  tx.dirty(keys.caller(id));
}

const withRole = (agent: { readonly name: string; readonly role?: string | undefined } | undefined) =>
  agent && { name: agent.name, role: agent.role ?? null };
