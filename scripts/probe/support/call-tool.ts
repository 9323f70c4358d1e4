import { z } from 'zod';
import { ask, codeOf, jsonOf } from './ask.ts';

export interface ToolAnswer {
  /** The HTTP status. */
  readonly status: number;
  readonly isError: boolean;
  /** `error.code` of a refusal, by the tool or by HTTP. */
  readonly code: string | undefined;
  readonly result: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly tookMs: number;
}

interface ToolQuestion {
  readonly token?: string;
  readonly from?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly timeoutMs?: number;
}

const resultSchema = z.object({
  result: z
    .looseObject({
      isError: z.boolean().optional(),
      content: z.array(z.looseObject({ text: z.string().optional() })).optional(),
      structuredContent: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
});

/** Calls one method of MCP by plain HTTP, without a client library. */
export async function askMcp(url: string, method: string, params: unknown, question: ToolQuestion = {}) {
  const { pathname, origin } = new URL(url);
  const answer = await ask(origin, pathname, {
    ...question,
    headers: { accept: 'application/json, text/event-stream', ...question.headers },
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
  const data = answer.text.split('\n').findLast((line) => line.startsWith('data: {'));
  return { ...answer, text: data === undefined ? answer.text : data.slice('data: '.length) };
}

export async function callTool(
  url: string,
  name: string,
  args: Record<string, unknown>,
  question: ToolQuestion = {},
): Promise<ToolAnswer> {
  const { status, text, tookMs } = await askMcp(url, 'tools/call', { name, arguments: args }, question);
  const result = resultSchema.safeParse(jsonOf({ text })).data?.result;
  const said = result?.content?.[0]?.text ?? text;
  return {
    status,
    isError: result === undefined || result.isError === true,
    code: codeOf({ text: said }),
    result: result?.structuredContent ?? {},
    text: said,
    tookMs,
  };
}
