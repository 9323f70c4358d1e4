/** The services that the transport needs: tests may pass something smaller. */

import type { AgentMemory } from '@aizuchi/shared/core/agent-memory/agent-memory';
import type { AgentDirectory } from '@aizuchi/shared/core/agents/agent-directory';
import type { ModelService } from '@aizuchi/shared/core/agents/model-service';
import type { ApprovalService } from '@aizuchi/shared/core/approvals/approval-service';
import type { AgentAttachments } from '@aizuchi/shared/core/attachments/agent-attachments';
import type { DeliveryService } from '@aizuchi/shared/core/chat/delivery/delivery-service';
import type { Receipts } from '@aizuchi/shared/core/chat/delivery/receipts';
import type { StepService } from '@aizuchi/shared/core/chat/steps/step-service';
import type { AgentConversations } from '@aizuchi/shared/core/conversations/agent-conversations';
import type { CoordinationService } from '@aizuchi/shared/core/coordinators/coordination-service';
import type { ProgramService } from '@aizuchi/shared/core/coordinators/program-service';
import type { AgentProposals } from '@aizuchi/shared/core/proposals/agent-proposals';
import type { QuestionService } from '@aizuchi/shared/core/questions/question-service';
import type { SessionService } from '@aizuchi/shared/core/sessions/session-service';
import type { AgentTasks } from '@aizuchi/shared/core/tasks/agent-tasks';
import type { AgentWork } from '@aizuchi/shared/core/tasks/agent-work';
import type { TaskService } from '@aizuchi/shared/core/tasks/task-service';
import type { AgentVision } from '@aizuchi/shared/core/vision/agent-vision';

export type { AgentCaller } from '@aizuchi/shared/core/access/agent-caller';

type Sessions = Pick<
  SessionService,
  | 'authenticate'
  | 'resolve'
  | 'logout'
  | 'nextActions'
  | 'withNews'
  | 'isPerWork'
  | 'offerEnd'
  | 'touch'
  | 'beat'
  | 'controls'
  | 'offerControl'
>;
type Deliveries = Pick<
  DeliveryService,
  'take' | 'noteRetrieval' | 'offeredAgain' | 'respond' | 'send' | 'reportDelta'
>;
type Steps = Pick<StepService, 'report'>;
type Conversations = Pick<AgentConversations, 'start' | 'end' | 'messages' | 'offer'>;
type Coordination = Pick<
  CoordinationService,
  | 'beat'
  | 'seen'
  | 'work'
  | 'getAgentAction'
  | 'listActiveProjectsWithAgents'
  | 'reportProcessStarted'
  | 'reportProcessExit'
  | 'reportChanges'
  | 'reportAgentError'
>;
export type CoordinatorWork = Awaited<ReturnType<Coordination['work']>>;
type Questions = Pick<QuestionService, 'ask' | 'mayAsk' | 'standing' | 'outcomes' | 'offer'>;
export type QuestionOutcome = Awaited<ReturnType<Questions['ask']>>;
type Approvals = Pick<ApprovalService, 'request' | 'outcomes' | 'offer'>;
export type ApprovalOutcome = Awaited<ReturnType<Approvals['request']>>;
type Directory = Pick<AgentDirectory, 'profile' | 'projectAgents'>;
type Tasks = Pick<TaskService, 'listForAgent'>;

/** All services behind the tools. */
export interface Services {
  readonly sessions: Sessions;
  readonly deliveries: Deliveries;
  readonly agentAttachments: Pick<AgentAttachments, 'get'>;
  readonly steps: Steps;
  readonly conversations: Conversations;
  readonly coordination: Coordination;
  readonly questions: Questions;
  readonly approvals: Approvals;
  readonly receipts: Pick<Receipts, 'received' | 'written'>;
  readonly directory: Directory;
  readonly programs: Pick<ProgramService, 'report'>;
  readonly models: Pick<ModelService, 'report'>;
  readonly tasks: Tasks;
  readonly agentMemory: Pick<AgentMemory, 'recall' | 'remember' | 'waiting' | 'packFor' | 'stillThere'>;
  readonly agentWork: Pick<AgentWork, 'offer' | 'get' | 'saveContext' | 'report'>;
  readonly agentTasks: Pick<AgentTasks, 'get' | 'create' | 'move'>;
  readonly agentProposals: Pick<AgentProposals, 'propose'>;
  readonly vision: Pick<AgentVision, 'ask' | 'outcomes'>;
  /** Throws when the database does not answer. */
  readonly checkDatabase: () => Promise<void>;
}
