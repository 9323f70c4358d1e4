import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Person } from '../core/access/person.ts';
import { AgentService } from '../core/agents/agent-service.ts';
import { ApprovalService } from '../core/approvals/approval-service.ts';
import { AttachmentService } from '../core/attachments/attachment-service.ts';
import { AuthService } from '../core/auth/auth-service.ts';
import { ChatHistory } from '../core/chat/chat-history.ts';
import { ChatService } from '../core/chat/chat-service.ts';
import { DeliveryService } from '../core/chat/delivery/delivery-service.ts';
import { Receipts } from '../core/chat/delivery/receipts.ts';
import { PresenceService } from '../core/chat/presence-service.ts';
import { StepService } from '../core/chat/steps/step-service.ts';
import { AgentConversations } from '../core/conversations/agent-conversations.ts';
import { ConversationService } from '../core/conversations/conversation-service.ts';
import { CoordinationService } from '../core/coordinators/coordination-service.ts';
import type { CoordinatorBeat } from '../core/coordinators/coordinator-beat.ts';
import type { ServiceDeps } from '../core/deps.ts';
import { InboxService } from '../core/inbox/inbox-service.ts';
import { ProjectService } from '../core/projects/project-service.ts';
import { QuestionService } from '../core/questions/question-service.ts';
import { RunService } from '../core/runs/run-service.ts';
import { ScheduleService } from '../core/schedules/schedule-service.ts';
import { ListeningMark } from '../core/sessions/listening-mark.ts';
import { SessionService } from '../core/sessions/session-service.ts';
import { CachedSettings } from '../core/settings/settings-service.ts';
import type { Sweeper } from '../core/sweeper/sweeper.ts';
import { UsageService } from '../core/usage/usage-service.ts';
import { visionReceipts } from '../core/vision/vision-receipts.ts';
import { retentionFromEnv } from '../platform/config/retention.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { createLogger } from '../platform/logger.ts';
import { openTranscripts, type Transcripts } from '../platform/transcript/transcript.ts';
import { CheckedSweeper } from './checked-sweeper.ts';
import { FakeClock } from './fake-clock.ts';
import { LockRecorder } from './lock-recorder.ts';
import { QUICK_PASSKEYS } from './quick-passkeys.ts';
import { SIGN_IN_KEYS } from './sign-in-keys.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import { LONG_TIMEOUT_MS } from './timeouts.ts';

const OWNER: Person = { id: 'owner', name: 'Owner', accessLevel: 'owner' };

export interface WorldAgent {
  readonly projectId: string;
  readonly agentId: string;
}

/** All services on a real database and a real folder, with a clock that a test can move. */
export class ServiceWorld {
  readonly owner = OWNER;
  readonly clock = new FakeClock();
  readonly database: Database;
  readonly transcripts: Transcripts;
  readonly root: string;
  readonly deps: ServiceDeps;
  readonly auth: AuthService;
  readonly agents: AgentService;
  readonly projects: ProjectService;
  readonly chat: ChatService;
  readonly attachments: AttachmentService;
  readonly history: ChatHistory;
  readonly presence: PresenceService;
  readonly steps: StepService;
  readonly usage: UsageService;
  readonly sessions: SessionService;
  readonly delivery: DeliveryService;
  /** What agents do with conversations, and what people see of them. */
  readonly talks: AgentConversations;
  readonly conversations: ConversationService;
  readonly coordination: CoordinationService;
  readonly runs: RunService;
  readonly questions: QuestionService;
  readonly approvals: ApprovalService;
  readonly receipts: Receipts;
  readonly schedules: ScheduleService;
  readonly inbox: InboxService;
  readonly sweeper: Sweeper;
  /** Every key that a commit made dirty, in order. */
  readonly dirtyKeys: string[] = [];
  readonly #locks = new LockRecorder();
  readonly #testDatabase: TestDatabase;

  private constructor(testDatabase: TestDatabase, root: string, timeZone: string) {
    const logger = createLogger('test', { level: 'silent' });
    this.#testDatabase = testDatabase;
    this.root = root;
    this.database = openDatabase({
      url: testDatabase.url,
      maxConnections: 10,
      // A statement of a test is not held up by others: only a host without CPU makes it slow.
      transactionTimeoutMs: LONG_TIMEOUT_MS,
      clock: this.clock,
      onStatement: (connection, text) => this.#locks.note(connection, text),
    });
    this.database.onCommit = (keys) => void this.dirtyKeys.push(...keys);
    this.transcripts = openTranscripts({ database: this.database, logger, timeoutMs: LONG_TIMEOUT_MS });
    const settings = new CachedSettings({ database: this.database, clock: this.clock, environment: {} });
    this.deps = {
      database: this.database,
      clock: this.clock,
      settings,
      logger,
      transcripts: this.transcripts,
      config: {
        locale: 'ja',
        workspaceRoots: [root],
        home: path.join(root, 'home'),
        loopback: true,
        timeZone,
        retention: retentionFromEnv({}),
      },
      passkeyTags: SIGN_IN_KEYS.passkeyTags,
      passkeyCost: QUICK_PASSKEYS,
    };
    this.auth = new AuthService({
      ...this.deps,
      deviceMarks: SIGN_IN_KEYS.deviceMarks,
      sleep: async () => undefined,
      refusalMs: 0,
    });
    this.agents = new AgentService(this.deps);
    this.projects = new ProjectService(this.deps);
    this.chat = new ChatService(this.deps);
    this.attachments = new AttachmentService(this.deps);
    this.history = new ChatHistory(this.deps);
    this.presence = new PresenceService(this.deps);
    this.steps = new StepService(this.deps);
    this.usage = new UsageService(this.deps);
    this.sessions = new SessionService(this.deps, this.auth);
    this.delivery = new DeliveryService(this.deps);
    this.talks = new AgentConversations(this.deps);
    this.conversations = new ConversationService(this.deps);
    this.coordination = new CoordinationService(this.deps);
    this.runs = new RunService(this.deps);
    this.questions = new QuestionService(this.deps);
    this.approvals = new ApprovalService(this.deps);
    const { sessions, questions, approvals } = this;
    this.receipts = new Receipts(this.deps, {
      sessions,
      questions,
      approvals,
      vision: visionReceipts(this.deps.database),
    });
    this.schedules = new ScheduleService(this.deps);
    this.inbox = new InboxService(this.deps);
    this.sweeper = new CheckedSweeper(this.deps);
  }

  static async create({ timeZone = 'Asia/Tokyo' } = {}): Promise<ServiceWorld> {
    const root = await realpath(await mkdtemp(path.join(tmpdir(), 'aizuchi-world-')));
    const world = new ServiceWorld(await createTestDatabase(), root, timeZone);
    await world.database.db
      .insertInto('agents')
      .values({ id: OWNER.id, type: 'human', name: OWNER.name, accessLevel: 'owner' })
      .execute();
    await world.listens();
    return world;
  }

  /** @throws when a transaction locked rows against the order of all (platform/db/lock-order.ts). */
  async close(): Promise<void> {
    await this.transcripts.close();
    await this.database.close();
    await this.#testDatabase.drop();
    await rm(this.root, { recursive: true, force: true });
    if (this.#locks.inversions.size > 0)
      throw new Error(`Locked against the order: ${[...this.#locks.inversions].join('\n')}`);
  }

  /**
   * A listening mark is always set, however far a test moves the clock: a silent process in this world is
   * really silent.
   */
  async listens(): Promise<void> {
    await this.database.pool.query(
      `insert into listening_marks (id, since, seen_at) values ('world', '-infinity', 'infinity')
       on conflict do nothing`,
    );
  }

  /** From now on, until `listens`, only processes that set a mark are listening. */
  async isDeaf(): Promise<void> {
    await this.database.pool.query('delete from listening_marks');
  }

  /** An mcp-server that listens while it marks, by the clock of this world. */
  listener(instanceId: string): ListeningMark {
    const { database, clock, logger } = this.deps;
    return new ListeningMark({ database, clock, logger, instanceId });
  }

  /** A project of its own with one built-in agent. */
  async agentInProject(
    options: { credential?: boolean; name?: string; maxParallelTasks?: number } = {},
  ): Promise<WorldAgent> {
    const { name = 'Worker', maxParallelTasks = 1 } = options;
    const suffix = newId('prj').slice(4, 12);
    const project = await this.projects.create(this.owner, { id: `prj_${suffix}`, name: 'Test' });
    const agent = await this.agents.create(this.owner, {
      id: `agt_${suffix}`,
      name,
      type: 'ai',
      maxParallelTasks,
      ...(options.credential === false && { credential: false }),
    });
    await this.projects.putAgent(this.owner, { projectId: project.id, agentId: agent.id });
    return { projectId: project.id, agentId: agent.id };
  }

  /** Another built-in agent in the same project. */
  async colleague(membership: WorldAgent, id = newId('agt')): Promise<WorldAgent> {
    await this.agents.create(this.owner, { id, name: `Colleague ${id}`, type: 'ai' });
    await this.projects.putAgent(this.owner, { projectId: membership.projectId, agentId: id });
    return { projectId: membership.projectId, agentId: id };
  }

  /** A Coordinator that is seen now. */
  async coordinator(id = 'host-a', running: string[] = [], capacity = 1_000): Promise<void> {
    await this.coordination.beat(this.beatOf(id, running, capacity));
  }

  beatOf(id: string, running: string[] = [], capacity = 1_000): CoordinatorBeat {
    return { coordinatorId: id, host: id, bootId: 'boot', capacity, running, labels: [], roots: [] };
  }

  /** Opens the chat, takes its start and signs the agent in: a warm session. */
  async warmAgent(membership: WorldAgent, coordinatorId = 'host-a') {
    // The Coordinator lists its live runs: a run that it leaves out is lost after five seconds, which a busy
    // machine needs.
    const living = await this.database.db
      .selectFrom('agentRuns')
      .select('id')
      .where('coordinatorId', '=', coordinatorId)
      .where('state', '<>', 'exited')
      .execute();
    const running = living.map(({ id }) => id);
    await this.coordinator(coordinatorId, running);
    await this.chat.start(this.owner, { ...membership, viewerId: 'viewer-1' });
    return this.signIn(membership, coordinatorId);
  }

  /** Takes the waiting start of a membership and signs its run in by ticket. */
  async signIn(membership: WorldAgent, coordinatorId = 'host-a') {
    const action = await this.coordination.getAgentAction({ ...membership, coordinatorId });
    if (action.action !== 'start' || action.ticket === null)
      throw new Error(`no start: ${JSON.stringify(action)}`);
    await this.coordination.reportProcessStarted({
      runId: action.runId,
      coordinatorId,
      host: coordinatorId,
      bootId: 'boot',
      pid: 4711,
      startTicks: 1,
    });
    const signedIn = await this.sessions.authenticate({ bearer: action.ticket, address: '127.0.0.1' });
    if (!signedIn.success) throw new Error(signedIn.error);
    const { runId, ticket } = action;
    const caller = await this.sessions.resolve(ticket);
    return { runId, ticket, caller, contextSince: signedIn.contextSince };
  }
}
