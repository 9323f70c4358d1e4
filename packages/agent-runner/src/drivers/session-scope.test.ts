import { expect, test } from 'vitest';
import { SCOPE_TEXTS, scopeOf } from './session-scope.ts';

test.each([
  [[], 'exactly the same again', 'まったく同じ操作'],
  [
    [{ tool: 'Bash', content: 'npm run *' }],
    'commands that begin with “npm run”',
    '「npm run」で始まるコマンド',
  ],
  [
    [{ tool: 'Bash', content: 'npm run:*' }],
    'commands that begin with “npm run”',
    '「npm run」で始まるコマンド',
  ],
  [[{ tool: 'Bash', content: 'npm * -v' }], 'commands of the form “npm * -v”', '「npm * -v」の形のコマンド'],
  [
    [
      { tool: 'Bash', content: 'ls' },
      { tool: 'WebFetch', content: 'domain:example.com' },
    ],
    'the command “ls”, WebFetch(domain:example.com)',
    'コマンド「ls」、WebFetch(domain:example.com)',
  ],
  [[{ tool: 'mcp__x__y' }], 'every call of mcp__x__y', 'mcp__x__y のすべての呼び出し'],
])('what the rules %j allow', (calls, en, ja) => {
  expect([scopeOf(calls, SCOPE_TEXTS.en), scopeOf(calls, SCOPE_TEXTS.ja)]).toEqual([en, ja]);
});
