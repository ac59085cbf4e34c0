#!/bin/sh
# Books the reference plan.
set -eu
exec python3 "$(dirname "$0")/solve.py"
