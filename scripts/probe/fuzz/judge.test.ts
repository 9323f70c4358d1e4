import { describe, expect, it } from 'vitest';
import { judge } from './judge.ts';

const rest = { kind: 'rest', operation: 'listProjects', method: 'GET', path: '/api/projects' } as const;
const tool = { kind: 'tool', operation: 'list_tasks', args: {} } as const;
const refusal = (code: string, message = 'No.') => JSON.stringify({ error: { code, message } });
const toolRefusal = (text: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, result: { isError: true, content: [{ type: 'text', text }] } });
const seen = (status: number, text = '{}', more = {}) => ({
  status,
  text,
  retryAfter: false,
  tookMs: 5,
  ...more,
});

describe('an answer conforms to the contract', () => {
  it.each([
    [rest, seen(200), '200'],
    [rest, seen(404, refusal('project_not_found')), '404'],
    [rest, seen(503, refusal('unavailable'), { retryAfter: true }), '503'],
    [{ ...rest, operation: 'login' }, seen(401, refusal('unauthenticated'), { tookMs: 30_000 }), '401'],
    [tool, seen(200), '200'],
    [tool, seen(200, toolRefusal(refusal('invalid_input'))), '200 invalid_input'],
    [tool, seen(200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"No."}}'), '200 -32602'],
  ])('%j %j', (call, answer, status) => {
    expect(judge(call, answer)).toEqual({ status });
  });
});

describe('an answer is a fault', () => {
  it.each([
    [rest, seen(500, refusal('internal')), 'answered 500'],
    [rest, seen(503, refusal('unavailable')), 'answered 503'],
    [rest, seen(400, '<html>Bad Request</html>'), 'refused in another shape than the contract has'],
    [rest, seen(400, '{"message":"No."}'), 'refused in another shape than the contract has'],
    [rest, seen(400, refusal('invalid_input', 'Error at f (/srv/app/x.ts:1:2)')), 'tells where it failed'],
    [rest, seen(200, '{}', { tookMs: 12_000 }), 'took 12.0 s'],
    [tool, seen(200, toolRefusal(refusal('internal'))), 'failed inside'],
    [tool, seen(200, toolRefusal('No.')), 'refused by a tool in another shape than the contract has'],
  ])('%j %j', (call, answer, fault) => {
    expect(judge(call, answer).fault).toBe(fault);
  });
});
