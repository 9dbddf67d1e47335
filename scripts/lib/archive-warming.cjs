/**
 * Run by scripts/lib/archive.mjs as a process of its own: takes what serves and works through the archive, runs a command
 * on the folder that MACE_DATA_DIR names, and writes what V8 made of each module by then to MACE_ARCHIVE_CODES.
 */
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');

const archive = require(join(__dirname, '..', '..', 'dist', 'archive.cjs'));
const scripts = new Map();
archive.onScript = (path, script) => scripts.set(path, script);

async function warm() {
  const nothing = () => undefined;
  const { colors } = archive.load('apps/cli/src/io.js').terminal();
  const { run } = archive.load('apps/cli/src/run.js');
  for (const name of ['apps/api/src/main.serve.js', 'apps/worker/src/work.js']) archive.load(name);
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
