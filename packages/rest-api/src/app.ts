import { WS_AUTH_SECONDS } from '@aizuchi/shared/contract/ws';
import { requireMemberNow } from '@aizuchi/shared/core/access/person';
import { Connections } from '@aizuchi/shared/platform/http/connections';
import { EDGE_LIMITS, type EdgeLimits, fastifyLimits } from '@aizuchi/shared/platform/http/edge-limits';
import { PlaceCheck } from '@aizuchi/shared/platform/http/host-and-origin';
import { originForm, requireOneTarget } from '@aizuchi/shared/platform/http/request-target';
import { trustedProxy } from '@aizuchi/shared/platform/http/trusted-proxy';
import cookie from '@fastify/cookie';
import fastify, { type FastifyInstance } from 'fastify';
import type { RestContext } from './context.ts';
import { addErrorHandler, sendError } from './plugins/error-handler.ts';
import { Gate } from './plugins/gate.ts';
import { handleInTurn } from './plugins/in-turn.ts';
import { boundLargeAnswers } from './plugins/large-answers.ts';
import { createMetrics, type Metrics } from './plugins/metrics.ts';
import { addDocumentationPage, addOpenApi } from './plugins/openapi.ts';
import { addPage } from './plugins/page.ts';
import { addRequestLog } from './plugins/request-log.ts';
import { type Handlers, refuseUnknownRoutes, registerRoutes } from './plugins/route-table.ts';
import { addSecurityHeaders } from './plugins/security-headers.ts';
import { StreamedBodies } from './plugins/streamed-body.ts';
import { addBodyParser, addSchemaCompilers } from './plugins/validation.ts';
import { agentRoutes } from './routes/agents.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { attachmentRoutes } from './routes/attachments.ts';
import { authRoutes } from './routes/auth.ts';
import { chatRoutes } from './routes/chat.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { healthRoutes } from './routes/health.ts';
import { memoryRoutes } from './routes/memory.ts';
import { notificationRoutes } from './routes/notifications.ts';
import { presenceRoutes } from './routes/presence.ts';
import { projectRoutes } from './routes/projects.ts';
import { questionRoutes } from './routes/questions.ts';
import { runRoutes } from './routes/runs.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { searchRoutes } from './routes/search.ts';
import { settingsRoutes } from './routes/settings.ts';
import { taskRoutes } from './routes/tasks.ts';
import { turnRoutes } from './routes/turns.ts';
import { usageRoutes } from './routes/usage.ts';
import { visionRoutes } from './routes/vision.ts';
import { SubscriptionHub } from './streams/hub.ts';
import { answerQuestion } from './streams/question-answer.ts';
import { SocketServer } from './streams/websocket.ts';
import { VERSION } from './version.ts';

export interface AppOptions {
  /** For tests: a response that does not match its schema is an error. */
  readonly checkResponses?: boolean;
  /** How many bytes a client may leave unread before its socket is closed as too slow. */
  readonly maxUnreadBytes?: number;
  /** How long a socket that was opened with a cookie may take to send its first frame. */
  readonly authTimeoutMs?: number;
  /** Limits of a connection. Tests set lower ones, because they cannot wait for the real limits. */
  readonly edge?: Partial<EdgeLimits>;
}

export interface RestApp {
  readonly server: FastifyInstance;
  /** The process passes the keys and deltas that its listener receives to this server. */
  readonly sockets: SocketServer;
}

const BODY_LIMIT = 1024 * 1024;
/** As idParamSchema: what is longer is no id, and the address leads nowhere. */
const MAX_PARAM_LENGTH = 200;
const MAX_UNREAD_BYTES = 2 * 1024 * 1024;

/** Builds the whole server; does not listen yet. */
export async function buildApp(context: RestContext, options: AppOptions = {}): Promise<RestApp> {
  const { config, logger } = context;
  const metrics = createMetrics(context.sweepSkipped);
  let isStopping = false;
  let gate: Gate | undefined;
  const limits = { ...EDGE_LIMITS, ...options.edge };
  const streamed = new StreamedBodies(limits.requestMs);
  const app = fastify({
    ...fastifyLimits(limits),
    bodyLimit: BODY_LIMIT,
    trustProxy: config.server.trustProxy,
    rewriteUrl: originForm,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      const check = gate?.check(request) ?? Promise.resolve();
      void check
        .then(() => error)
        .catch((refusal: unknown) => refusal)
        .then((refusal) => sendError(refusal, request, reply, logger));
    },
    clientErrorHandler: (error, socket) => streamed.refuse(error, socket),
  });
  app.addHook('preClose', (done) => {
    isStopping = true;
    done();
  });
  // A keep-alive client would hold the connection of a request that was in progress, and the stop would wait for it.
  app.addHook('onResponse', (request, _reply, done) => {
    if (isStopping) request.raw.socket.end();
    done();
  });

  const isTrustedProxy = trustedProxy(config.server.trustProxy);
  new Connections({ limits, isTrustedProxy, logger }).watch(app.server);

  handleInTurn(app);
  refuseUnknownRoutes(app);
  addErrorHandler(app, logger);
  addSchemaCompilers(app, { checkResponses: options.checkResponses ?? false });
  addBodyParser(app);
  addRequestLog(app, logger, metrics);
  addSecurityHeaders(app);
  app.addHook('onRequest', async ({ raw }) => requireOneTarget(raw));
  // Without the hook, cookies are parsed only where they are needed, which is seldom.
  await app.register(cookie, { hook: false });
  let port: number | undefined;
  app.addHook('onListen', async () => {
    port = portOf(app);
  });
  const sockets = socketsOf(context, metrics, options);
  await sockets.prepare(app);
  gate = await Gate.register(app, {
    identify: ({ token, csrf }) => context.auth.identify(token, csrf),
    place: new PlaceCheck({ ...config.server, port: () => port ?? config.server.port }),
    rateLimitPerMinute: config.rateLimitPerMinute,
    clock: context.clock,
    isStopping: () => isStopping,
  });
  boundLargeAnswers(app);
  streamed.register(app);
  await addOpenApi(app, VERSION);
  sockets.addRoute(app);

  const handlers: Handlers = {
    ...healthRoutes(context, metrics),
    ...authRoutes(context),
    ...agentRoutes(context),
    ...projectRoutes(context),
    ...taskRoutes(context),
    ...chatRoutes(context),
    ...attachmentRoutes(context),
    ...conversationRoutes(context),
    ...presenceRoutes(context),
    ...runRoutes(context),
    ...questionRoutes(context),
    ...approvalRoutes(context),
    ...notificationRoutes(context),
    ...scheduleRoutes(context),
    ...searchRoutes(context),
    ...settingsRoutes(context),
    ...usageRoutes(context),
    ...turnRoutes(context),
    ...memoryRoutes(context),
    ...visionRoutes(context),
    openApi: () => app.swagger() as { openapi: string },
  };
  registerRoutes(app, handlers);
  await addDocumentationPage(app);
  await addPage(app);
  await app.ready();
  return { server: app, sockets };
}

function socketsOf(context: RestContext, metrics: Metrics, options: AppOptions): SocketServer {
  const hub = new SubscriptionHub({
    db: context.database.db,
    clock: context.clock,
    logger: context.logger,
    sources: {
      messages: (ids) => context.history.withAgents(ids),
      steps: (names) => context.steps.firstByNames(names),
      tasks: (ids) => context.tasks.firstByIds(ids),
      conversations: (ids) => context.conversations.firstByIds(ids),
      questions: (ids) => context.questions.byIds(ids),
      approvals: (ids) => context.approvals.byIds(ids),
      pendingQuestions: (projectId) => context.questions.pendingOf(projectId),
      pendingApprovals: (projectId) => context.approvals.pendingOf(projectId),
      sessions: (projectId, agentIds) => context.presence.agentSessions(null, projectId, agentIds),
    },
    answers: {
      storedMessages: (ids) => context.history.stored(ids),
      membersAtCard: (members) => context.presence.membersAtCard(members),
    },
    onFrame: (count) => metrics.frames.inc(count),
  });
  return new SocketServer({
    connection: {
      hub,
      identify: ({ token, csrf }) => context.auth.identify(token, csrf),
      requireMember: (person, projectId) => requireMemberNow(context.database.db, person, projectId),
      renewViewer: (person, viewer) => context.presence.renewViewers(person, viewer),
      answerQuestion: (person, frame) => answerQuestion(context.questions, person, frame),
      maxUnreadBytes: options.maxUnreadBytes ?? MAX_UNREAD_BYTES,
      authTimeoutMs: options.authTimeoutMs ?? WS_AUTH_SECONDS * 1_000,
    },
    logger: context.logger,
    metrics,
    viewerLeaseMs: context.viewerLeaseMs,
  });
}

/** The port; undefined until the server listens. */
export function portOf(app: FastifyInstance): number | undefined {
  const address = app.server.address();
  return address !== null && typeof address === 'object' ? address.port : undefined;
}
