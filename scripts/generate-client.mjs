/**
 * `node scripts/generate-client.mjs`: writes libs/client/openapi.json, as the application describes itself, and the types
 * of libs/client that follow from it. A test fails where they are not those of the application.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { writeAtomically } from './lib/atomic-file.mjs';
import { makeReady, run } from './lib/ready.mjs';
import { inRoot } from './lib/root.mjs';

await run(async () => {
  await makeReady();
  const text = `${JSON.stringify(await description(), null, 1)}\n`;
  const types = astToString(
    await openapiTS(narrowed(JSON.parse(text)), { alphabetize: true, immutable: true, emptyObjectsUnknown: true }),
  );
  const digest = createHash('sha256').update(text).digest('hex');
  const heading = `/** Written by scripts/generate-client.mjs from openapi.json (sha256 ${digest}). */\n\n`;
  writeAtomically(inRoot('libs', 'client', 'openapi.json'), text);
  writeAtomically(inRoot('libs', 'client', 'src', 'api.ts'), heading + types);
});

/** What the application says of itself at /openapi.json. */
async function description() {
  const { openApp } = await import('../dist/apps/api/src/main.open.js');
  const { readConfig } = await import('../dist/apps/api/src/platform.config.js');
  const folder = mkdtempSync(join(tmpdir(), 'mace-client-'));
  try {
    const { app, platform } = await openApp(readConfig({ MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent' }));
    const answer = await app.fastify.inject({ url: '/openapi.json' });
    await app.nest.close();
    await platform.close();
    return answer.json();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Without examples, without headers, which the client sees to by itself, and without problems: it asks for envelopes. */
function narrowed(document) {
  const { schemas, responses } = document.components;
  for (const response of [...Object.values(responses), ...operationsOf(document).flatMap(answersOf)]) {
    delete response.headers;
    delete response.content?.['application/problem+json'];
    for (const content of Object.values(response.content ?? {})) {
      delete content.example;
      delete content.examples;
      // Each code's own type says what it is.
      delete content.schema.discriminator;
    }
  }
  for (const operation of operationsOf(document))
    operation.parameters = operation.parameters.filter((parameter) => parameter.in !== 'header');
  const isProblem = (name) => name === 'Problem' || name.endsWith('.problem');
  document.components = {
    schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => !isProblem(name))),
    responses,
  };
  return document;
}

function operationsOf({ paths }) {
  return Object.values(paths).flatMap((operations) => Object.values(operations));
}

function answersOf({ responses }) {
  return Object.values(responses).filter(({ $ref }) => $ref === undefined);
}
