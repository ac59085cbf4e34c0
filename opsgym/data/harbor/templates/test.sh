#!/bin/sh
# Judges the end state and writes reward.json, reward.txt and verdict.json.
set -eu
exec python3 -m opsgym.data.harbor.judge \
    --task "$(dirname "$0")/task.json" \
    --state "${ERP_RUN:-/var/erp}/state/end.sqlite" \
    --out "${LOGS_DIR:-/logs}/verifier"
