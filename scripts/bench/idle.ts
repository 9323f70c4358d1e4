/**
 * What the product costs while nobody does anything: each process's share of a core, with nothing at all and with
 * sessions that hold get_next_action; then agents of each provider that wait, with the requests to their models.
 * `npm run bench -- idle [--seconds 60] [--settle 180] [--sessions 1000] [--agents 10] [--providers builtin,claude,…]
 * [--statements]` (which statements cost most, and how often they are asked; counting them costs a little itself).
 * `--sessions 0` and `--agents 0` leave one part out. Ten agents of provider claude take about 2 GB of memory.
 */
import { parseArgs } from 'node:util';
import { measureIdleAgents } from './support/idle-agents.ts';
import { PROVIDERS, providersOf } from './support/idle-providers.ts';
import { measureIdleSessions } from './support/idle-sessions.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    sessions: { type: 'string', default: '1000' },
    agents: { type: 'string', default: '10' },
    providers: { type: 'string', default: PROVIDERS.join() },
    /**
     * Seconds before each window: what a start or an opening leaves to be done is not rest. Postgres plans a statement
     * anew the first five times on each connection. The sweeper asks its long one every ten seconds in three processes:
     * planning takes 20 ms, running it 0.15 ms.
     */
    settle: { type: 'string', default: '180' },
    statements: { type: 'boolean', default: false },
  },
});
const sessions = Number(options.sessions);
const agents = Number(options.agents);
const providers = providersOf(options.providers);
const window = { seconds: Number(options.seconds), settleSeconds: Number(options.settle) };

if (sessions > 0) await measureIdleSessions({ ...window, sessions, withStatements: options.statements });
if (agents > 0) await measureIdleAgents({ ...window, agents, providers });
