/**
 * Run by scripts/lib/archive.mjs as a process of its own: takes what serves and works through the archive, runs a command
 * on the folder that MACE_DATA_DIR names, and writes what V8 made of each module by then to MACE_ARCHIVE_CODES.
 */
const { writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');

const DIST = join(__dirname, '..', '..', 'dist');
/** What servers and workers take besides, some of it when it is first asked for. */
const TAKEN = [
  'apps/api/src/graphql/engine.js',
  'apps/api/src/graphql/sockets/sockets.js',
  'apps/api/src/main.serve.js',
  'apps/api/src/metrics/exposition.js',
  'apps/negotiation/src/grpc-server.js',
  'apps/worker/src/work.js',
];
/** Packages that are loaded where a setting names a server, and who loads them. */
const PACKAGES = [
  ['apps/api/src/edge/openapi.js', '@nestjs/swagger'],
  ['libs/event-store/src/eventstoredb/connection.js', '@eventstore/db-client'],
  ['libs/mongodb/src/connection.js', 'mongodb'],
];

const archive = require(join(DIST, 'archive.cjs'));
const scripts = new Map();
archive.onScript = (path, script) => scripts.set(path, script);

async function warm() {
  const nothing = () => undefined;
  const { colors } = archive.load('apps/cli/src/io.js').terminal();
  const { run } = archive.load('apps/cli/src/run.js');
  for (const name of TAKEN) archive.load(name);
  for (const [from, name] of PACKAGES) createRequire(join(DIST, from))(name);
  const code = await run(['--json', 'sem', 'list'], { out: nothing, say: nothing, colors, interactive: false });
  if (code !== 0) throw new Error(`the command ended with ${code}`);
  const codes = [...scripts].map(([path, script]) => [path, script.createCachedData()]);
  writeFileSync(process.env.MACE_ARCHIVE_CODES, Buffer.concat(codes.map(([, made]) => made)));
  const sizes = codes.map(([path, { length }]) => [path, length]);
  writeFileSync(`${process.env.MACE_ARCHIVE_CODES}.json`, JSON.stringify({ tag: cachedDataVersionTag(), sizes }));
}

warm().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
