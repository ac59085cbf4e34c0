#!/bin/sh
# The ERP: one database, the agent's key, and an admin key that is made here at every start.
set -eu
run="${ERP_RUN:-/var/erp}"
mkdir -p "$run"
cd "${ERP_HOME:-/erp}"
exec opsgym serve erp --task file=task.json --port "${ERP_PORT:-8069}" --admin-port "${ERP_ADMIN_PORT:-8070}" \
    --key-file api_key --admin-key-file "$run/admin.key"
