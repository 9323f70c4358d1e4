/**
 * The order in which one transaction locks rows, by table. Everybody keeps it, so no circle can form:
 *
 * - What several memberships share is always locked in this order; rows of one table in the order of their ids.
 * - The other rows belong to one membership (an agent in a project), to its chat or to one of its tasks. Who holds the membership, its row in project_agents, may lock
 *   them in any order: nobody else holds more than one of them without it. Who does not hold the membership, as the fast
 *   statements of posting, delivering and answering, keeps the order of `OF_ONE_MEMBERSHIP`.
 *
 * What loses a deadlock all the same is done again (database.ts). The tests record the locks of every transaction and
 * fail on an inversion (testing/lock-recorder.ts).
 */
export const SHARED = [
  'projects',
  'agents',
  'project_agents',
  'coordinators',
  'conversation_chains',
] as const;

export const OF_ONE_MEMBERSHIP = [
  'pending_agent_purposes',
  'agent_sessions',
  'agent_runs',
  'worktrees',
  'launch_tickets',
  'user_questions',
  'approvals',
  'conversations',
  'conversation_notices',
  'growing_answers',
  'message_steps',
  'chat_threads',
  'chat_messages',
  'delivery_batches',
  'usage_days',
  'session_usage',
  'memory_events',
  'vision_requests',
  'memory_states',
  'chat_turns',
  'retrieval_runs',
  'memory_growth',
  'attachments',
] as const;
