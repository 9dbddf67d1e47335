#!/bin/sh
# The command line inside the image: `docker compose exec api mace ...`.
exec node /app/dist/mace/main.js "$@"
