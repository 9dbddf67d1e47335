#!/bin/sh
# Users first: access lists name them, and are set once they are there.
set -eu
node /setup/eventstore-users.mjs
mace eventstore apply
