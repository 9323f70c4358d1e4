import type { Delta } from '@aizuchi/shared/changes/delta';
import { Listener } from '@aizuchi/shared/changes/listener';
import { Notifier } from '@aizuchi/shared/changes/notifier';
import { openChatLog } from '@aizuchi/shared/chat-log/chat-log';
import { type Clock, systemClock } from '@aizuchi/shared/clock';
import type { RestConfig } from '@aizuchi/shared/config/config';
import { type Database, openDatabase } from '@aizuchi/shared/db/database';
import type { Logger } from '@aizuchi/shared/logger';
import { AgentService } from '@aizuchi/shared/services/agent-service';
import { AuthService } from '@aizuchi/shared/services/auth-service';
import { ChatHistory } from '@aizuchi/shared/services/chat-history';
import { ChatService } from '@aizuchi/shared/services/chat-service';
import { ConversationService } from '@aizuchi/shared/services/conversation-service';
import type { ServiceDeps } from '@aizuchi/shared/services/deps';
import { DeviceMarks } from '@aizuchi/shared/services/device-marks';
import { InboxService } from '@aizuchi/shared/services/inbox-service';
import { PasskeyTags } from '@aizuchi/shared/services/passkey-tags';
import { PresenceService } from '@aizuchi/shared/services/presence-service';
import { ProjectService } from '@aizuchi/shared/services/project-service';
import { QuestionService } from '@aizuchi/shared/services/question-service';
import { RunService } from '@aizuchi/shared/services/run-service';
import { ScheduleService } from '@aizuchi/shared/services/schedule-service';
import { SessionService } from '@aizuchi/shared/services/session-service';
import { CachedSettings, SettingsService } from '@aizuchi/shared/services/settings-service';
import { Sweeper } from '@aizuchi/shared/services/sweeper';
import { TaskService } from '@aizuchi/shared/services/task-service';

/** What the routes call. */
interface RestServices {
  readonly auth: AuthService;
  readonly agents: AgentService;
  readonly projects: ProjectService;
  readonly tasks: TaskService;
  readonly chat: ChatService;
  readonly history: ChatHistory;
  readonly conversations: ConversationService;
  readonly presence: PresenceService;
  readonly runs: RunService;
  readonly questions: QuestionService;
  readonly schedules: ScheduleService;
  readonly inbox: InboxService;
  readonly settings: SettingsService;
}

type AppConfig = Pick<RestConfig, 'server' | 'rateLimitPerMinute' | 'mcpUrl'>;

/** Everything that `buildApp` is made of. */
export interface RestContext extends RestServices {
  readonly config: AppConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly database: Database;
  /** How long a viewer's lease lasts without renewal. */
  readonly viewerLeaseMs: () => Promise<number>;
  /** How often this process's sweeper had to skip something, by step. */
  readonly sweepSkipped: () => ReadonlyMap<string, number>;
}

/** A context that also runs what belongs to the process: listening, notifying, sweeping. */
export interface RestProcess extends RestContext {
  /** From now on it listens and sweeps; `sockets` hear of dirty keys and growing answers of all processes. */
  start(sockets: { onKeys(keys: readonly string[]): void; onDelta(delta: Delta): void }): Promise<void>;
  stop(): Promise<void>;
}

/** The composition root of this process; opens nothing before `start`. */
export function buildContext(
  config: RestConfig,
  logger: Logger,
  overrides: { clock?: Clock } & Pick<ServiceDeps, 'passkeyCost'> = {},
): RestProcess {
  const clock = overrides.clock ?? systemClock;
  const url = config.databaseUrl;
  const database = openDatabase({ url, applicationName: 'aizuchi-rest-api' });
  const notifier = new Notifier({ url, logger });
  const settingsCache = new CachedSettings({ database, clock, environment: config.settings });
  const chatLog = openChatLog({ database, logger, workspaceRoots: config.workspaceRoots });
  const deps: ServiceDeps = {
    database,
    clock,
    logger,
    chatLog,
    settings: settingsCache,
    passkeyTags: new PasskeyTags(config.internalToken),
    config: {
      locale: config.locale,
      workspaceRoots: config.workspaceRoots,
      home: config.home,
      loopback: config.server.isLoopback,
      timeZone: config.timeZone,
      retention: config.retention,
    },
    ...(overrides.passkeyCost && { passkeyCost: overrides.passkeyCost }),
  };
  const auth = new AuthService({ ...deps, deviceMarks: new DeviceMarks(config.internalToken) });
  database.onCommit = (keys) => {
    // Not only by the listener: whoever took a right away must not see it work at the next call.
    auth.onKeys([...keys]);
    notifier.notify(keys);
  };
  const sessions = new SessionService(deps, auth);
  const questions = new QuestionService(deps);
  const schedules = new ScheduleService(deps);
  const sweeper = new Sweeper(deps, { sessions, questions, schedules });
  let sockets: Parameters<RestProcess['start']>[0] | undefined;
  const listener = new Listener({
    url,
    logger,
    onKeys: (keys) => {
      settingsCache.onKeys(keys);
      auth.onKeys(keys);
      sockets?.onKeys(keys);
    },
    onDelta: (delta) => sockets?.onDelta(delta),
  });

  return {
    config,
    clock,
    logger,
    database,
    auth,
    agents: new AgentService(deps),
    projects: new ProjectService(deps),
    tasks: new TaskService(deps),
    chat: new ChatService(deps),
    history: new ChatHistory(deps),
    conversations: new ConversationService(deps),
    presence: new PresenceService(deps),
    runs: new RunService(deps),
    questions,
    schedules,
    inbox: new InboxService(deps),
    settings: new SettingsService({ ...deps, settings: settingsCache }),
    viewerLeaseMs: async () => (await settingsCache.current()).viewerLeaseSeconds * 1_000,
    sweepSkipped: () => sweeper.skipped,
    async start(heard) {
      sockets = heard;
      await listener.start();
      // A crash between commit and append is repaired in the background: the server serves meanwhile.
      chatLog.repairAll().catch((error: unknown) => logger.warn({ err: error }, 'transcripts not checked'));
      sweeper.start();
    },
    async stop() {
      await sweeper.stop();
      await listener.stop();
      await chatLog.close();
      await notifier.stop();
      await database.close();
    },
  };
}
