import http from 'node:http';

const HEADERS = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': '2025-06-18',
};

/**
 * One tools/call as real clients send it, without an SDK, so that only the server is measured. Resolves with the
 * structured result and the moment its bytes arrived.
 */
export function callTool(
  agent: http.Agent,
  url: string,
  token: string,
  name: string,
  args: Record<string, unknown>,
  onOpen?: () => void,
): Promise<{ result: Record<string, unknown>; at: number }> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  return new Promise((resolve, reject) => {
    const request = http.request(
      url,
      {
        method: 'POST',
        agent,
        headers: { ...HEADERS, authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          if (text === '') onOpen?.();
          text += chunk;
        });
        response.on('end', () => {
          const at = performance.now();
          try {
            resolve({ result: structured(text), at });
          } catch (error) {
            reject(error);
          }
        });
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

function structured(text: string): Record<string, unknown> {
  const data = text.split('\n').findLast((line) => line.startsWith('data: {'));
  if (data === undefined) throw new Error(`no result in: ${text.slice(0, 300)}`);
  const message = JSON.parse(data.slice(6));
  if (message.result?.isError || message.error) throw new Error(`the call failed: ${data.slice(0, 500)}`);
  return message.result.structuredContent;
}
