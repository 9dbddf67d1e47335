#!/bin/sh
# First passwords of the server's own users, which it takes from the environment only. Later starts change nothing by them.
set -eu
EVENTSTORE_DEFAULT_ADMIN_PASSWORD=$(cat /run/secrets/eventstore_admin_password)
EVENTSTORE_DEFAULT_OPS_PASSWORD=$(cat /run/secrets/eventstore_ops_password)
export EVENTSTORE_DEFAULT_ADMIN_PASSWORD EVENTSTORE_DEFAULT_OPS_PASSWORD
exec /opt/eventstore/eventstored
