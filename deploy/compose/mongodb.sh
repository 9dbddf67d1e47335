#!/bin/bash
# The server takes a key file only from its own user and closed to others; a secret's file has neither.
set -eu
install -m 0400 /run/secrets/mongodb_keyfile /tmp/keyfile
# `oplogMinRetentionHours` is absent on purpose: destroyed data keys are to leave the oplog as soon as it rolls over.
exec docker-entrypoint.sh mongod --replSet rs0 --keyFile /tmp/keyfile --bind_ip_all --oplogSize 990 --wiredTigerCacheSizeGB 0.4
