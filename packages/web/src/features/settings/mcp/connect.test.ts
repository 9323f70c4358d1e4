import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { authenticateScript, claudeLine, mcpAddress, mcpJson } from './connect.ts';

const url = 'http://127.0.0.1:4101/mcp';

describe('connecting Claude Code', () => {
  test("the address is the configured one, else the default port of the page's host", () => {
    const page = { hostname: 'box.local', protocol: 'http:' };
    expect(mcpAddress('https://mcp.example/mcp', page)).toBe('https://mcp.example/mcp');
    expect(mcpAddress(undefined, page)).toBe('http://box.local:4101/mcp');
  });

  test('the command has the configuration as one shell word, and quotes in the prompt are escaped', () => {
    const line = claudeLine(url, "don't stop");
    const config = /--mcp-config '([^']*)'/.exec(line)?.[1] ?? '';
    expect(JSON.parse(config)).toEqual(JSON.parse(mcpJson(url)));
    expect(line).toContain("-- 'don'\\''t stop'");
  });

  test('it contains no secret: the token comes from the environment', () => {
    const schema = z.object({
      mcpServers: z.object({
        aizuchi: z.object({ url: z.literal(url), headers: z.record(z.string(), z.string()) }),
      }),
    });
    const { headers } = schema.parse(JSON.parse(mcpJson(url))).mcpServers.aizuchi;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as Claude Code reads it.
    expect(headers).toEqual({ Authorization: 'Bearer ${AIZUCHI_SESSION_TOKEN}' });
  });

  test('the passkey is passed to printf, which is a shell builtin', () => {
    const script = authenticateScript({ url, agentId: 'agt_1', projectId: 'prj_1' });
    expect(script.split('\n').filter((line) => line.includes('"$PASSKEY"'))).toEqual([
      expect.stringMatching(/\$\(printf '%s' /),
    ]);
  });
});
