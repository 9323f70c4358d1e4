/** The URL of the MCP server for clients of this network: the configured one, else the default port of this host. */
export function mcpAddress(
  configured: string | undefined,
  page: { readonly hostname: string; readonly protocol: string },
): string {
  return configured ?? `${page.protocol}//${page.hostname}:4101/mcp`;
}

interface Connection {
  readonly url: string;
  readonly agentId: string;
  readonly projectId: string;
}

/** One line for Claude Code. The token comes from the environment: it must not be visible in the list of processes. */
export function claudeLine(url: string, prompt: string): string {
  const config = JSON.stringify({ mcpServers: { aizuchi: serverEntry(url) } });
  return `claude --mcp-config ${quoted(config)} --allowedTools mcp__aizuchi -- ${quoted(prompt)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The same as a file for `--mcp-config`. */
export function mcpJson(url: string): string {
  return JSON.stringify({ mcpServers: { aizuchi: serverEntry(url) } }, null, 2);
}

/** With alwaysLoad the tools are available without Claude's own tool search. */
function serverEntry(url: string) {
  return {
    type: 'http',
    url,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code fills this in.
    headers: { Authorization: 'Bearer ${AIZUCHI_SESSION_TOKEN}' },
    alwaysLoad: true,
  };
}

/**
 * Signs the agent in and stores the session's token. The shell itself reads the passkey and passes it on, so that it
 * appears neither in the shell's history nor in the list of processes.
 */
export function authenticateScript({ url, agentId, projectId }: Connection): string {
  const call = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'authenticate',
      arguments: { agent_id: agentId, project_id: projectId, passkey: '@' },
    },
  });
  const [before = '', after = ''] = call.split('@');
  return [
    "printf 'Passkey: '; read -rs PASSKEY; echo",
    `export AIZUCHI_SESSION_TOKEN=$(printf '%s' ${quoted(before)} "$PASSKEY" ${quoted(after)} |`,
    `  curl -s ${url} -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' -d @- |`,
    '  sed -n \'s/.*"session_token":"\\([^"]*\\)".*/\\1/p\'); unset PASSKEY',
  ].join('\n');
}
