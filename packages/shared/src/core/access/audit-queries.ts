import type { Queryable } from '../../platform/db/database.ts';

export type AuditAction =
  | 'agent.created'
  | 'agent.changed'
  | 'agent.deleted'
  | 'passkey.set'
  | 'passkey.removed'
  | 'invite.created'
  | 'sign_in.succeeded'
  | 'token.created'
  | 'token.revoked'
  | 'project.created'
  | 'project.imported'
  | 'project.chats_imported'
  | 'project.changed'
  | 'project.deleted'
  | 'member.added'
  | 'member.removed'
  | 'schedule.switched_off'
  | 'settings.changed'
  | 'memory.event_deleted'
  | 'memory.state_deleted'
  | 'memory.erased'
  | 'memory.person_exported'
  | 'memory.person_erased';

export interface AuditEntry {
  /** The id of a person, or `system` for actions of the product at its start. */
  readonly actorId: string;
  readonly action: AuditAction;
  readonly targetId?: string;
  readonly projectId?: string;
  /** Names of changed fields, numbers, states; never texts, passkeys or tokens. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Records actions that matter for security and the person behind them, in the transaction of the change
 * itself.
 */
export async function appendAudit(db: Queryable, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('auditEntries')
    .values({
      actorId: entry.actorId,
      action: entry.action,
      targetId: entry.targetId ?? null,
      projectId: entry.projectId ?? null,
      details: JSON.stringify(entry.details ?? {}),
    })
    .execute();
}
