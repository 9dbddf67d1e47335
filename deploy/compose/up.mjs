/**
 * `node deploy/compose/up.mjs [--secrets-only]`: draws the secrets that are not there yet into deploy/compose/secrets, and
 * brings everything up with `docker compose`. Again is the same: what is there stays.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.env.MACE_COMPOSE_SECRETS ?? join(here, 'secrets');
/** What a Redis user of MACE may do: docs/redis.md. */
const REDIS_RIGHTS =
  '~mace:* -@all +getrange +set +unlink +eval +evalsha +time +zadd +zcard +zrange +zpopmin +zremrangebyscore +pexpire +select';

// Nobody else may enter the folder; the files in it are read by the users of the containers, which have other numbers.
mkdirSync(folder, { recursive: true, mode: 0o700 });

const drawn = (name) => kept(name, () => randomBytes(24).toString('base64url'));

const admin = drawn('eventstore_admin_password');
drawn('eventstore_ops_password');
drawn('eventstore_mace-reader_password');
const eventstore = drawn('eventstore_mace_password');
const at = 'eventstore:2113?tls=true&tlsCAFile=/authority/ca.crt';
kept('eventstore_admin_url', () => `esdb://admin:${admin}@${at}`);
kept('eventstore_url', () => `esdb://mace:${eventstore}@${at}`);

drawn('mongodb_root_password');
const mongodb = drawn('mongodb_mace_password');
kept('mongodb_keyfile', () => randomBytes(567).toString('base64'));
kept('mongodb_url', () => `mongodb://mace:${mongodb}@mongodb:27017/mace?replicaSet=rs0`);

const redis = drawn('redis_mace_password');
kept('redis_acl', () =>
  ['user default off', `user mace on >${redis} ${REDIS_RIGHTS}`, 'user health on nopass -@all +ping'].join('\n'),
);
kept('redis_url', () => `redis://mace:${redis}@redis:6379/0`);

if (!process.argv.includes('--secrets-only')) {
  const file = join(here, '..', 'compose.yaml');
  const { status, error } = spawnSync('docker', ['compose', '--file', file, 'up', '--build', '--detach', '--wait'], {
    stdio: 'inherit',
  });
  if (error) process.stderr.write(`docker cannot be started: ${error.message}\n`);
  process.exitCode = status ?? 1;
}

/** What a file holds; where it is not there yet, what is written to it, whole or not at all. */
function kept(name, make) {
  const path = join(folder, name);
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, `${make()}\n`);
    chmodSync(`${path}.new`, 0o444);
    renameSync(`${path}.new`, path);
  }
  return readFileSync(path, 'utf8').trim();
}
