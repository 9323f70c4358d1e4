import { type Core, createCore } from '@aizuchi/shared/core/core';
import { chatOf, type MembershipKey } from '@aizuchi/shared/core/rules/work-key';
import { retentionFromEnv } from '@aizuchi/shared/platform/config/retention';
import { newId } from '@aizuchi/shared/platform/ids';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import type { RestWorld } from './rest-world.ts';

/** The process in which agents call: the same database, its own connections. */
export function agentSide(world: RestWorld): Core {
  return createCore({
    config: {
      databaseUrl: world.context.database.url,
      settings: {},
      internalToken: 'internal-token-for-tests',
      locale: 'ja',
      timeZone: 'Asia/Tokyo',
      retention: retentionFromEnv({}),
      workspaceRoots: [world.root],
      home: `${world.root}/home`,
      loopback: true,
    },
    logger: createLogger('mcp-server', { level: 'silent' }),
    applicationName: 'agent-side',
    maxConnections: 3,
    clock: world.clock,
    transactionTimeoutMs: LONG_TIMEOUT_MS,
  });
}

/** A session of the agent's chat that has taken a message of the owner. */
export async function atWork(world: RestWorld, agents: Core, membership: MembershipKey) {
  const sessionId = newId('ses');
  await world.context.database.db
    .insertInto('agentSessions')
    .values({ id: sessionId, ...membership, purpose: 'chat', openedBy: 'owner' })
    .execute();
  const caller = {
    ...chatOf(membership),
    sessionId,
    live: true,
    sharesFolder: false,
    usesMemory: true,
  } as const;
  await world.context.chat.post(await world.owner(), { ...membership, content: 'How is it going?' });
  const { batchId } = await agents.deliveries.take(caller);
  if (batchId === null) throw new Error('nothing was given');
  return { caller, batchId, messageId: newId('msg') };
}
