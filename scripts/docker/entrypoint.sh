#!/bin/sh
# Runs the services named as arguments under the supervisor: `docker run image rest-api mcp-server`.
set -eu

if [ $# -gt 0 ]; then
  AIZUCHI_SERVICES=$(IFS=,; echo "$*")
  export AIZUCHI_SERVICES
fi
# Project folders are made group-writable: agents run as another account of our group.
[ "$(id -u)" = 0 ] || umask 0002

exec node /app/dist/supervisor.js
