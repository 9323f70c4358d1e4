// Who may import whom: docs/architecture.md has the same table in words. A second guard, a test that reads
// the sources, keeps this one from being switched off quietly.
const shared = '^packages/shared/src';
const testFile = '(\\.test\\.ts$|/test/|/testing/|^tests/)';

/** Everything but `allowed` is forbidden to `from`. */
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
    only('domain-imports-nothing', `${shared}/domain/`, [`${shared}/domain/`]),
    only('contract-is-schemas', `${shared}/contract/`, [
      `${shared}/contract/`,
      `${shared}/domain/`,
      'node_modules/zod',
    ]),
    never(
      'database-layer-knows-no-use-case',
      `${shared}/(db|changes)/`,
      `${shared}/(services|config|mcp-client)/`,
    ),
    never(
      'services-know-no-transport',
      `${shared}/services/`,
      '^(packages/(?!shared/)|fastify|@modelcontextprotocol)',
    ),
    never('shared-knows-no-process', shared, '^packages/(?!shared/)'),
    {
      name: 'processes-do-not-import-each-other',
      severity: 'error',
      from: { path: '^packages/(?!shared/)([^/]+)/', pathNot: testFile },
      to: { path: '^packages/(?!shared/)([^/]+)/', pathNot: '^packages/$1/' },
    },
    {
      name: 'repositories-only-in-the-context',
      severity: 'error',
      from: {
        path: '^packages/(rest-api|mcp-server|memory)/src/',
        pathNot: [testFile, '/(context|main)\\.ts$'],
      },
      to: { path: `${shared}/db/repositories/`, dependencyTypesNot: ['type-only'] },
    },
    never(
      'coordinator-is-an-mcp-client-only',
      '^packages/coordinator/',
      `(${shared}/(services|db|changes|domain|chat-log)/|node_modules/(kysely|pg)/)`,
    ),
    never(
      'runner-is-an-mcp-client-only',
      '^packages/agent-runner/',
      `(${shared}/(services|db|changes|config|chat-log)/|node_modules/(kysely|pg)/)`,
    ),
    never('the-page-knows-the-contract-only', '^packages/web/', `${shared}/(?!contract/|domain/|texts/)`),
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
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.tools.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
