// The import rules of docs/architecture.md. scripts/commands/layers.test.ts reads the sources for the same rules, so
// that this file cannot be switched off unnoticed.
const shared = '^packages/shared/src';
const testFile = '(\\.test\\.ts$|/test/|/testing/|^tests/)';

/**
 * The order of the features: each may import features of its own level and of those before it. The features of the
 * level `sessions` work on one pair in one transaction and call each other; the imports between their files have no
 * cycle.
 */
const LEVELS = [
  ['access', 'credentials'],
  ['settings', 'usage', 'memory', 'attachments', 'mentions'],
  [
    'sessions',
    'wake-ups',
    'runs',
    'task-work',
    'worktrees',
    'folders',
    'coordinators',
    'cards',
    'questions',
    'approvals',
    'conversations',
    'chat',
    'idempotency',
  ],
  ['schedules', 'tasks', 'agent-memory', 'proposals', 'turns', 'vision'],
  ['removal'],
  ['agents', 'auth', 'projects'],
  ['inbox', 'search', 'sweeper', 'welcome'],
  ['notifications'],
];

/** `from` may import nothing except `allowed`. */
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: testFile },
  to: { pathNot: allowed },
});
const never = (name, from, forbidden) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: testFile },
  to: { path: forbidden },
});

module.exports = {
  forbidden: [
    // porter2 is a pure function.
    only('rules-are-pure', `${shared}/core/.*rules/`, [`${shared}/core/.*rules/`, 'node_modules/porter2']),
    only('contract-is-schemas', `${shared}/contract/`, [
      `${shared}/contract/`,
      `${shared}/core/.*rules/`,
      'node_modules/zod',
    ]),
    never('platform-knows-no-feature', `${shared}/platform/`, `${shared}/(core|mcp-client)/`),
    never(
      'core-knows-no-transport',
      `${shared}/core/`,
      '^(packages/(?!shared/)|fastify|@modelcontextprotocol)',
    ),
    ...LEVELS.map((features, level) =>
      never(
        `features-in-their-order-${features[0]}`,
        `${shared}/core/(${features.join('|')})/`,
        `${shared}/core/(${LEVELS.slice(level + 1)
          .flat()
          .join('|')})/(?!rules/)`,
      ),
    ),
    {
      name: 'sql-only-in-queries',
      severity: 'error',
      from: {
        path: `${shared}/`,
        pathNot: [testFile, `${shared}/platform/(db|change-log)/`, '-queries\\.ts$'],
      },
      to: { path: 'node_modules/(kysely|pg)/' },
    },
    never('shared-knows-no-process', shared, '^packages/(?!shared/)'),
    {
      name: 'processes-do-not-import-each-other',
      severity: 'error',
      from: { path: '^packages/(?!shared/)([^/]+)/', pathNot: testFile },
      // The client of Kubernetes is no process, but a library with a package of its own.
      to: { path: '^packages/(?!shared/|kubernetes-client/)([^/]+)/', pathNot: '^packages/$1/' },
    },
    {
      name: 'transports-make-no-queries',
      severity: 'error',
      from: {
        path: '^packages/(rest-api|mcp-server|memory)/src/',
        pathNot: testFile,
      },
      to: { path: `${shared}/core/.*-queries\\.ts$`, dependencyTypesNot: ['type-only'] },
    },
    never(
      'coordinator-is-an-mcp-client-only',
      '^packages/coordinator/',
      `(${shared}/(core/(?!.*rules/)|platform/(db|change-log|transcript)/)|node_modules/(kysely|pg)/)`,
    ),
    never(
      'runner-is-an-mcp-client-only',
      '^packages/agent-runner/',
      `(${shared}/(core/(?!.*rules/)|platform/(db|change-log|config|transcript)/)|node_modules/(kysely|pg)/)`,
    ),
    never(
      'the-page-knows-contract-rules-and-texts',
      '^packages/web/',
      `${shared}/(?!contract/|core/.*rules/|platform/texts/)`,
    ),
    {
      name: 'testing-is-for-tests',
      severity: 'error',
      from: { path: '^packages/', pathNot: testFile },
      to: { path: '/testing/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^(packages|scripts)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: { path: '^(packages|scripts|tests)/' },
      to: { couldNotResolve: true, pathNot: '^virtual:' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.tools.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
