import type { ToolCallUpdate } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { agentNamed, agentOfProgram } from './known-agents.ts';

test.each([
  ['/usr/bin/gemini', ['--acp'], 'Gemini CLI'],
  ['/usr/bin/node', ['/opt/gemini-cli/bundle/gemini.js', '--acp'], 'Gemini CLI'],
  ['/usr/bin/npx', ['-y', '@google/gemini-cli@0.61.0', '--acp'], 'Gemini CLI'],
  ['/usr/local/bin/codex-acp', [], 'Codex'],
  ['/usr/bin/npx', ['@agentclientprotocol/codex-acp'], 'Codex'],
  ['/usr/local/bin/claude-agent-acp', [], 'Claude Code'],
  ['/opt/other-agent', ['--gemini'], 'other-agent'],
])('%s %j is %s', (file, args, title) => {
  expect(agentOfProgram({ file, args }).title).toBe(title);
});

test('how it names itself counts more than its command', () => {
  const other = agentOfProgram({ file: '/opt/wrapper', args: [] });
  expect(agentNamed('gemini-cli', other).title).toBe('Gemini CLI');
  expect(agentNamed('something', other).title).toBe('wrapper');
  expect(agentNamed(undefined, other).title).toBe('wrapper');
});

const named = (name: string) => agentNamed(name, agentOfProgram({ file: '/opt/other', args: [] }));
const call = (fields: Partial<ToolCallUpdate>): ToolCallUpdate => ({ toolCallId: 'c1', ...fields });

test('a tool of our server is known by what the program says of the call', () => {
  const title = 'list_tasks (aizuchi MCP Server)';
  expect(named('gemini-cli').ownTool(call({ kind: 'other', title }))).toBe('list_tasks');
  const codex = call({ title: 'mcp.aizuchi.list_tasks', _meta: { is_mcp_tool_call: true } });
  expect(named('codex-acp').ownTool(codex)).toBe('list_tasks');
  const claude = call({ _meta: { claudeCode: { toolName: 'mcp__aizuchi__list_tasks' } } });
  expect(named('@agentclientprotocol/claude-agent-acp').ownTool(claude)).toBe('list_tasks');
  expect(named('other').ownTool(call({ name: 'mcp__aizuchi__list_tasks' }))).toBe('list_tasks');
});

test('a command that looks like one is none: its title and its input are written by the model', () => {
  const title = 'list_tasks (aizuchi MCP Server)';
  expect(named('gemini-cli').ownTool(call({ kind: 'execute', title }))).toBeUndefined();
  expect(named('gemini-cli').ownTool(call({ kind: 'other', title: `rm -r x; ${title}` }))).toBeUndefined();
  const input = { server: 'aizuchi', tool: 'list_tasks', toolName: 'mcp__aizuchi__list_tasks' };
  for (const name of ['gemini-cli', 'codex-acp', '@agentclientprotocol/claude-agent-acp', 'other']) {
    const command = call({ kind: 'execute', title: 'mcp.aizuchi.list_tasks', rawInput: input });
    expect(named(name).ownTool(command), name).toBeUndefined();
  }
});
