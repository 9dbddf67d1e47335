#!/bin/sh
# The key ring, drawn at the first start, beside the checkpoints of each process. /keys/api is the one to back up, and the
# one that `mace keys rotate` changes; every start gives the worker a copy.
set -eu
umask 077
[ -f /keys/api/ring.json ] || mace keys draw /keys/api/ring.json
install -m 0600 /keys/api/ring.json /keys/worker/ring.json
