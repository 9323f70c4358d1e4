import { Notifier } from '../platform/change-log/notifier.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { SettingsFromEnv } from '../platform/config/settings-from-env.ts';
import { openDatabase } from '../platform/db/database.ts';
import type { Logger } from '../platform/logger.ts';
import { openTranscripts } from '../platform/transcript/transcript.ts';
import { AgentMemory } from './agent-memory/agent-memory.ts';
import { AgentDirectory } from './agents/agent-directory.ts';
import { AgentService } from './agents/agent-service.ts';
import { AgentUsageService } from './agents/agent-usage-service.ts';
import { ModelService } from './agents/model-service.ts';
import { offeredModels } from './agents/offered-models.ts';
import { ApprovalService } from './approvals/approval-service.ts';
import { AgentAttachments } from './attachments/agent-attachments.ts';
import { AttachmentService } from './attachments/attachment-service.ts';
import { AuthService } from './auth/auth-service.ts';
import { DeviceMarks } from './auth/device-marks.ts';
import { ChatHistory } from './chat/chat-history.ts';
import { ChatService } from './chat/chat-service.ts';
import { DeliveryService } from './chat/delivery/delivery-service.ts';
import { Receipts } from './chat/delivery/receipts.ts';
import { ChatImport } from './chat/import/chat-import.ts';
import { PresenceService } from './chat/presence-service.ts';
import { StepService } from './chat/steps/step-service.ts';
import { WarmingService } from './chat/warming-service.ts';
import { AgentConversations } from './conversations/agent-conversations.ts';
import { ConversationService } from './conversations/conversation-service.ts';
import { CoordinationService } from './coordinators/coordination-service.ts';
import { ProgramService } from './coordinators/program-service.ts';
import { PasskeyTags } from './credentials/passkey-tags.ts';
import type { ServiceConfig, ServiceDeps } from './deps.ts';
import { InboxService } from './inbox/inbox-service.ts';
import { MemoryImport } from './memory/import/memory-import.ts';
import { MemoryClient } from './memory/memory-client.ts';
import { MemoryOverview } from './memory/memory-overview.ts';
import { MemoryPeople } from './memory/memory-people.ts';
import { MemorySearchService } from './memory/memory-search.ts';
import { MemoryService } from './memory/memory-service.ts';
import type { Memory } from './memory/recall.ts';
import { AnswerLinks } from './notifications/answer-links.ts';
import { NotificationKeys } from './notifications/notification-keys.ts';
import { NotificationService } from './notifications/notification-service.ts';
import { NotificationWorker } from './notifications/notification-worker.ts';
import { ProjectService } from './projects/project-service.ts';
import { ProjectExport } from './projects/transfer/project-export.ts';
import { ProjectImport } from './projects/transfer/project-import.ts';
import { AgentProposals } from './proposals/agent-proposals.ts';
import { ProposalService } from './proposals/proposal-service.ts';
import { QuestionService } from './questions/question-service.ts';
import { RunService } from './runs/run-service.ts';
import { ScheduleService } from './schedules/schedule-service.ts';
import { SearchService } from './search/search-service.ts';
import { SessionService } from './sessions/session-service.ts';
import { CachedSettings, SettingsService } from './settings/settings-service.ts';
import { Sweeper } from './sweeper/sweeper.ts';
import { AgentTasks } from './tasks/agent-tasks.ts';
import { AgentWork } from './tasks/agent-work.ts';
import { TaskRecordService } from './tasks/task-record-service.ts';
import { TaskService } from './tasks/task-service.ts';
import { UsageService } from './usage/usage-service.ts';
import { visionReceipts } from './vision/vision-receipts.ts';
import { WelcomeLanguage } from './welcome/welcome-language.ts';
import { ChangesService } from './worktrees/changes-service.ts';

export interface CoreOptions {
  readonly config: ServiceConfig & {
    readonly databaseUrl: string;
    /** Settings that a variable fixes. */
    readonly settings: SettingsFromEnv;
    /** The token of this home: keys of passkey tags and device cookies are derived from it. */
    readonly internalToken: string;
    readonly memoryUrl?: string;
    /** Under which people reach the page; absent: messages have no links. */
    readonly publicUrl?: string | undefined;
    /** Private hosts that messages may be sent to. */
    readonly notifyHosts?: readonly string[];
  };
  readonly logger: Logger;
  /** The name under which Postgres shows the connections of this process. */
  readonly applicationName: string;
  readonly maxConnections?: number;
  /** For tests: also determines the time of every transaction. */
  readonly clock?: Clock;
  readonly passkeyCost?: ServiceDeps['passkeyCost'];
  /** For tests: the limits of a transaction, and of the wait of a message for its line, of a busy machine. */
  readonly transactionTimeoutMs?: number;
  readonly transcriptTimeoutMs?: number;
  /** For tests: instead of the memory service. */
  readonly memory?: Memory;
}

export type Core = ReturnType<typeof createCore>;

/**
 * Builds every feature once in each process. Opens no connection by itself: the first query does. The process
 * starts and stops what runs in the background (notifier, sweeper, transcripts).
 */
export function createCore(options: CoreOptions) {
  const { config, logger, clock = systemClock } = options;
  const url = config.databaseUrl;
  const database = openDatabase({
    url,
    applicationName: options.applicationName,
    ...(options.maxConnections !== undefined && { maxConnections: options.maxConnections }),
    ...(options.clock && { clock: options.clock }),
    ...(options.transactionTimeoutMs !== undefined && { transactionTimeoutMs: options.transactionTimeoutMs }),
  });
  const notifier = new Notifier({ url, logger });
  const settings = new CachedSettings({ database, clock, environment: config.settings });
  const deps: ServiceDeps = {
    database,
    clock,
    settings,
    logger,
    transcripts: openTranscripts({
      database,
      logger,
      workspaceRoots: config.workspaceRoots,
      ...(options.transcriptTimeoutMs !== undefined && { timeoutMs: options.transcriptTimeoutMs }),
    }),
    passkeyTags: new PasskeyTags(config.internalToken),
    config,
    ...(options.passkeyCost && { passkeyCost: options.passkeyCost }),
  };
  const auth = new AuthService({ ...deps, deviceMarks: new DeviceMarks(config.internalToken) });
  const sessions = new SessionService(deps, auth);
  const questions = new QuestionService(deps);
  const approvals = new ApprovalService(deps);
  const changes = new ChangesService(deps);
  const projects = new ProjectService(deps);
  const chat = new ChatService(deps);
  const deliveries = new DeliveryService(deps);
  const memory =
    options.memory ?? new MemoryClient({ url: config.memoryUrl, token: config.internalToken, logger });
  const notifying = {
    ...deps,
    questions,
    keys: new NotificationKeys(config.internalToken),
    outbound: { allowedHosts: config.notifyHosts ?? [] },
    publicUrl: config.publicUrl,
  };
  const sweeper = new Sweeper(deps);
  database.onCommit = (keys) => {
    // Not only through the listener: the caller that takes a right away must not see it work at the next
    // call.
    auth.onKeys([...keys]);
    notifier.notify(keys);
  };
  return {
    deps,
    notifier,
    sweeper,
    auth,
    agents: new AgentService(deps),
    agentUsage: new AgentUsageService(deps),
    offeredModels,
    models: new ModelService(deps),
    programs: new ProgramService(deps),
    directory: new AgentDirectory(deps),
    projects,
    welcome: new WelcomeLanguage(deps),
    projectExport: new ProjectExport(deps),
    projectImport: new ProjectImport(projects),
    chatImport: new ChatImport(deps),
    tasks: new TaskService(deps),
    taskRecords: new TaskRecordService(deps),
    agentTasks: new AgentTasks(deps),
    proposals: new ProposalService(deps),
    agentProposals: new AgentProposals(deps),
    agentWork: new AgentWork(deps),
    chat,
    attachments: new AttachmentService(deps),
    agentAttachments: new AgentAttachments(deps),
    warming: new WarmingService(deps, chat),
    history: new ChatHistory(deps),
    presence: new PresenceService(deps),
    steps: new StepService(deps),
    usage: new UsageService(deps),
    deliveries,
    receipts: new Receipts(deps, { sessions, questions, approvals, vision: visionReceipts(deps.database) }),
    sessions,
    coordination: new CoordinationService(deps),
    runs: new RunService(deps),
    changes,
    questions,
    approvals,
    conversations: new ConversationService(deps),
    agentConversations: new AgentConversations(deps),
    schedules: new ScheduleService(deps),
    memories: new MemoryService(deps),
    memoryOverview: new MemoryOverview(deps),
    memoryPeople: new MemoryPeople(deps),
    memorySearch: new MemorySearchService({ ...deps, memory }),
    memoryImport: new MemoryImport(deps),
    inbox: new InboxService(deps),
    notifications: new NotificationService(notifying),
    answerLinks: new AnswerLinks(notifying),
    /** The process that serves the page runs it. */
    notificationWorker: new NotificationWorker(notifying),
    memory,
    search: new SearchService({ ...deps, memory }),
    agentMemory: new AgentMemory({ ...deps, memory, deliveries }),
    settings: new SettingsService({ ...deps, settings }),
    /**
     * For the listener of the process: cached values are read again, the sweeper looks for earlier deadlines.
     */
    onKeys(keys: readonly string[]): void {
      settings.onKeys(keys);
      auth.onKeys(keys);
      changes.onKeys(keys);
      sweeper.onKeys(keys);
    },
    /** Call it after all callers have stopped. */
    async close(): Promise<void> {
      await deps.transcripts.close();
      await notifier.stop();
      await database.close();
    },
  };
}
