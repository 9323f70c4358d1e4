import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { findTestPort } from '../../../../scripts/postgres/free-port.ts';
import type { ToolName } from '../contract/tools/tool-texts.ts';
import { TOOLS, type ToolArguments, type ToolOutput } from '../contract/tools/tools.ts';

/** Answers one tool; throwing a ScriptedRefusal gives a tool error with its code. */
export type ToolScript = {
  [N in ToolName]?: (args: ToolArguments<N>) => ToolOutput<N> | Promise<ToolOutput<N>>;
};

export interface RecordedCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly bearer: string | undefined;
}

export class ScriptedRefusal extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  constructor(code: string, details?: Readonly<Record<string, unknown>>) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** The remote side for tests of MCP clients: a real server of the new SDK whose tools are a script. */
export class ScriptedMcpServer {
  readonly calls: RecordedCall[] = [];
  readonly script: ToolScript;
  /** Of any kind, calls and connections alike. */
  requestCount = 0;
  readonly #events = new EventEmitter();
  readonly #bearer = new AsyncLocalStorage<string | undefined>();
  #http: HttpServer;
  #port = 0;

  constructor(script: ToolScript) {
    this.script = script;
    this.#events.setMaxListeners(0);
    this.#http = this.#build();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  async start(): Promise<this> {
    // One that nobody takes between a crash and the next start.
    this.#port ||= await findTestPort();
    this.#http.listen(this.#port, '127.0.0.1');
    await once(this.#http, 'listening');
    return this;
  }

  /** As kill -9 does: connections are cut in the middle of an answer; `start` brings it back on its port. */
  async crash(): Promise<void> {
    const closed = once(this.#http, 'close');
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
    this.#http = this.#build();
  }

  async close(): Promise<void> {
    if (this.#http.listening) await this.crash();
  }

  callsOf(tool: ToolName): RecordedCall[] {
    return this.calls.filter((call) => call.tool === tool);
  }

  /** Resolves with the call that makes the condition true, also when it has come already. */
  async waitForCall(
    tool: ToolName,
    matches: (call: RecordedCall) => boolean = () => true,
  ): Promise<RecordedCall> {
    for (;;) {
      const found = this.callsOf(tool).find(matches);
      if (found) return found;
      await once(this.#events, 'call');
    }
  }

  #build(): HttpServer {
    const handler = createMcpHandler(() => this.#buildMcp(), { responseMode: 'sse' });
    const serve = toNodeHandler(handler);
    return createServer((request, response) => {
      this.requestCount += 1;
      const bearer = request.headers.authorization?.replace(/^Bearer /, '');
      const { method = 'GET', url = '/' } = request;
      void this.#bearer.run(bearer, () => serve(Object.assign(request, { method, url }), response));
    });
  }

  #buildMcp(): Server {
    const server = new Server({ name: 'scripted', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', async () => ({
      tools: Object.values(TOOLS).map(({ name, description, input }) => ({
        name,
        description,
        inputSchema: jsonSchema(input),
      })),
    }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const args = params.arguments ?? {};
      this.calls.push({ tool: params.name, args, bearer: this.#bearer.getStore() });
      this.#events.emit('call');
      return this.#answer(params.name, args);
    });
    return server;
  }

  async #answer(name: string, args: Record<string, unknown>) {
    // The script is typed for its author; the clients' arguments are checked by the assertions of the tests.
    const tool = (this.script as Record<string, ((args: unknown) => unknown) | undefined>)[name];
    try {
      if (!tool) throw new ScriptedRefusal('not_scripted');
      const result = await tool(args);
      return {
        content: [{ type: 'text' as const, text: JSON.stringify(result) }],
        structuredContent: result as Record<string, unknown>,
      };
    } catch (error) {
      const code = error instanceof ScriptedRefusal ? error.code : 'internal';
      const details = error instanceof ScriptedRefusal ? error.details : undefined;
      const text = JSON.stringify({ error: { code, message: String(error), details } });
      return { content: [{ type: 'text' as const, text }], isError: true };
    }
  }
}

function jsonSchema(schema: z.ZodObject): { type: 'object'; [key: string]: unknown } {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return { ...rest, type: 'object' };
}
