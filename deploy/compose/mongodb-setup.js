/* Run by mongosh, again at every start: what is there stays. */
/* global db, rs, sleep, print, quit */
const { readFileSync } = require('node:fs');
const secret = (name) => readFileSync(`/run/secrets/${name}`, 'utf8').trim();
const admin = db.getSiblingDB('admin');
const WAIT_MS = 60_000;

admin.auth('root', secret('mongodb_root_password'));
try {
  rs.status();
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: 'mongodb:27017' }] });
  print('rs0: begun');
}
const until = Date.now() + WAIT_MS;
while (!admin.hello().isWritablePrimary) {
  if (Date.now() > until) {
    print(`rs0: no primary within ${WAIT_MS / 1000} s`);
    quit(1);
  }
  sleep(500);
}
const mace = db.getSiblingDB('mace');
// readWrite holds the right to make collections and indexes.
const roles = [{ role: 'readWrite', db: 'mace' }];
if (mace.getUser('mace') === null) {
  mace.createUser({ user: 'mace', pwd: secret('mongodb_mace_password'), roles });
  print('mace: made');
}
