import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeAtomically } from './atomic-file.mjs';
import { inRoot } from './root.mjs';

const TYPES = inRoot('libs', 'client', 'src', 'api.ts');

/** Makes the types of libs/client of libs/client/openapi.json, unless they are there; they are not kept in the repository. */
export async function ensureClientTypes() {
  const text = readFileSync(inRoot('libs', 'client', 'openapi.json'), 'utf8');
  const digest = createHash('sha256').update(text).digest('hex');
  const heading = `/** Made of openapi.json (sha256 ${digest}). */\n\n`;
  if (existsSync(TYPES) && readFileSync(TYPES, 'utf8').startsWith(heading)) return;
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const options = { alphabetize: true, immutable: true, emptyObjectsUnknown: true };
  writeAtomically(TYPES, heading + astToString(await openapiTS(narrowed(JSON.parse(text)), options)));
}

/** Without examples, without headers, which the client sees to by itself, and without problems: it asks for envelopes. */
function narrowed(document) {
  const { schemas, responses } = document.components;
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const answers = operations.flatMap((operation) => Object.values(operation.responses));
  for (const response of [...Object.values(responses), ...answers.filter(({ $ref }) => $ref === undefined)]) {
    delete response.headers;
    delete response.content?.['application/problem+json'];
    for (const content of Object.values(response.content ?? {})) {
      delete content.example;
      delete content.examples;
      // Each code's own type says what it is.
      delete content.schema.discriminator;
    }
  }
  for (const operation of operations)
    operation.parameters = operation.parameters.filter((parameter) => parameter.in !== 'header');
  const isProblem = (name) => name === 'Problem' || name.endsWith('.problem');
  const kept = Object.entries(schemas).filter(([name]) => !isProblem(name));
  document.components = { schemas: Object.fromEntries(kept), responses };
  return document;
}
