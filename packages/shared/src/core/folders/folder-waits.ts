import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { ServiceDeps } from '../deps.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import type { IdentifiedSessionView } from '../sessions/session-view-queries.ts';
import { heldForFolder, resumeHeldForFolder } from '../wake-ups/folder-start-queries.ts';
import { lockFolder, readFolders } from './folder-queries.ts';
import { restartConversations, setFolderWait } from './folder-wait-queries.ts';
import { decideFolder, isWithheld } from './rules/folder-lease.ts';

/**
 * Adds to the views whether what is unread waits until another agent has done its work in the folder. Nothing is read
 * for sessions that do not share a folder, or for which nothing waits.
 */
export async function lookIntoFolders(
  deps: Pick<ServiceDeps, 'database'>,
  views: readonly IdentifiedSessionView[],
  now: Date,
): Promise<IdentifiedSessionView[]> {
  const sharing = views.filter(
    ({ sharesFolder, state, work, taskToTell, folderWaitFor }) =>
      sharesFolder && state === 'active' && (work.unread || taskToTell !== null || folderWaitFor !== null),
  );
  if (sharing.length === 0) return [...views];
  const projectIds = [...new Set(sharing.map(({ projectId }) => projectId))];
  const folders = await readFolders(deps.database.db, projectIds, now);
  const withheld = new Set<string>();
  for (const view of sharing) {
    const decision = decideFolder(folders.get(view.projectId) ?? [], view.id);
    const isWaiting = view.work.unread || view.taskToTell !== null;
    if (isWaiting && isWithheld(decision)) withheld.add(view.id);
    const waitsFor = isWaiting ? decision.waitsFor : null;
    if (waitsFor !== view.folderWaitFor)
      await deps.database.transaction((tx) => noteFolderWait(tx, view, waitsFor));
  }
  return views.map((view) => (withheld.has(view.id) ? { ...view, withheldIn: view.projectId } : view));
}

/**
 * Whether this session may begin to work now on what waits for it, whatever that is. Of two that ask at the same time the
 * second decides when the first is committed, and finds it at work. Before any other lock.
 */
export async function takeFolder(
  tx: Tx,
  session: MembershipKey & { readonly id: string },
  now: Date,
): Promise<boolean> {
  const { projectId, id } = session;
  await lockFolder(tx.db, projectId);
  const members = (await readFolders(tx.db, [projectId], now)).get(projectId) ?? [];
  const { threads, waitsFor } = decideFolder(members, id);
  await noteFolderWait(tx, session, waitsFor);
  if (threads === 'all') await tellWaitingStarts(tx, projectId);
  return threads === 'all';
}

/** Stores whom the session waits for, and tells people when that has changed. */
export async function noteFolderWait(
  tx: Tx,
  session: MembershipKey & { readonly id: string },
  waitsFor: string | null,
): Promise<void> {
  const changed = await setFolderWait(tx.db, session.id, waitsFor);
  if (!changed) return;
  // Their time was stopped while it waited.
  if (waitsFor === null) await restartConversations(tx.db, session, await tx.now());
  await tellPeople(tx, [session]);
  const { projectId, agentId } = session;
  if (changed.runId !== null)
    await appendChangeEvents(tx, [{ kind: 'run', projectId, ref: { runId: changed.runId, agentId } }]);
}

/** Another agent works in the folder of this project now: people see for whom the starts wait. */
export async function tellWaitingStarts(tx: Tx, projectId: string): Promise<void> {
  await tellPeople(tx, await heldForFolder(tx.db, projectId));
}

async function tellPeople(tx: Tx, memberships: readonly MembershipKey[]): Promise<void> {
  await appendChangeEvents(
    tx,
    memberships.map(({ projectId, agentId }) => ({ kind: 'session', projectId, ref: { agentId } }) as const),
  );
}

/**
 * The work of a session that shares the folder of this project is at rest: starts that wait for the folder are given
 * out again. Sessions that wait read again by themselves, at each change in their project.
 */
export async function resumeFolderStarts(tx: Tx, projectId: string): Promise<void> {
  if (await resumeHeldForFolder(tx.db, projectId, await tx.now())) tx.dirty(keys.work);
}
