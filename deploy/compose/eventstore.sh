#!/bin/sh
# First passwords of the server's own users, which it takes from the environment only. Later starts change nothing by them.
set -eu
EVENTSTORE_DEFAULT_ADMIN_PASSWORD=$(cat /run/secrets/eventstore_admin_password)
EVENTSTORE_DEFAULT_OPS_PASSWORD=$(cat /run/secrets/eventstore_ops_password)
export EVENTSTORE_DEFAULT_ADMIN_PASSWORD EVENTSTORE_DEFAULT_OPS_PASSWORD
# The server takes every variable that begins with EVENTSTORE_ for a setting of its own, and does not start with one that
# it does not know, such as MACE's address of it.
unset EVENTSTORE_URL EVENTSTORE_URL_FILE EVENTSTORE_HTTP
exec /opt/eventstore/eventstored
