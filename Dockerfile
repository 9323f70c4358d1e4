# One image for all services; the command of a container names its services (scripts/docker/entrypoint.sh). If no
# registry of images can be reached, set BASE_IMAGE to any Debian with Node 24 and npm.
ARG BASE_IMAGE=node:24-bookworm-slim

FROM ${BASE_IMAGE} AS build
WORKDIR /app
ENV CI=true
# The store is filled from the lockfile alone, so that this layer stays valid when the sources change.
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
RUN npx -y "$(node -p "require('./package.json').packageManager.split('+')[0]")" fetch --prod --config.trust-lockfile=true
COPY . .
# The same two steps as `npm start`.
RUN node scripts/docker/build.mjs
RUN node scripts/docker/build.mjs --runtime-only

# For agents in containers (docs/operations.md): docker build --target runner -t aizuchi-runner .
FROM ${BASE_IMAGE} AS runner
COPY --from=build /app/packages/agent-runner/dist/*.mjs /opt/aizuchi/

# The same with Claude Code: docker build --target runner-claude -t aizuchi-runner-claude .
FROM runner AS runner-claude
# The release that the runner was tried with (packages/coordinator/src/launch/claude/claude-release.ts).
ARG CLAUDE_CODE_VERSION=2.1.330
RUN npm install --global --no-fund --no-audit "@anthropic-ai/claude-code@${CLAUDE_CODE_VERSION}" \
  && npm cache clean --force && claude --version

FROM ${BASE_IMAGE}
# Worktrees of runs need git. Where no Debian mirror can be reached the image has none: then such a run says what is missing.
RUN command -v git \
  || { apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*; } \
  || echo 'no git in this image' >&2
# Two accounts in one group: agents cannot read the transcripts of the services, and both work in the project folders.
# The Coordinator selects aizuchi-agent by its name. Only the services may write /workspaces itself: an account that
# can rename there could exchange one project's folder for another.
RUN groupadd --gid 10001 aizuchi \
  && useradd --uid 10001 --gid aizuchi --no-log-init --create-home aizuchi \
  && useradd --uid 10002 --gid aizuchi --no-log-init --create-home aizuchi-agent \
  && install -d -o aizuchi -g aizuchi -m 0700 /var/lib/aizuchi \
  && install -d -o aizuchi -g aizuchi -m 2755 /workspaces
COPY --from=build /app /app
WORKDIR /app
ENV NODE_ENV=production \
  AIZUCHI_HOME=/var/lib/aizuchi \
  AIZUCHI_WORKSPACE_ROOTS=/workspaces \
  AIZUCHI_HOST=0.0.0.0
USER aizuchi
EXPOSE 4100 4101
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/scripts/docker/healthcheck.mjs"]
ENTRYPOINT ["/app/scripts/docker/entrypoint.sh"]
