import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse, parseAllDocuments } from 'yaml';

/** A YAML file with one document, its merge keys (`<<`) applied. */
export function yamlFile<T>(path: string): T {
  return parse(readFileSync(path, 'utf8'), { merge: true }) as T;
}

/** Every document of a YAML file. */
export function yamlDocuments(path: string): readonly Manifest[] {
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS() as Manifest);
}

/** An object of Kubernetes, as far as tests look at every kind. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

const READS = /\b(given|needed|address|secret|oneOf|wholeNumber|waitMs|pathPart)\(env, '([A-Z_]+)'/g;
/** Where a process reads its settings. */
const SETTINGS = [
  { folder: 'apps/api/src', file: /^platform\..*(?<!spec)\.ts$/ },
  { folder: 'apps/api/src/settings', file: /\.ts$/ },
];

/** Names of the settings that a process reads, from its sources; what holds a password may stand in a file. */
export function knownSettings(): ReadonlySet<string> {
  const sources = SETTINGS.flatMap(({ folder, file }) =>
    readdirSync(folder)
      .filter((name) => file.test(name))
      .map((name) => join(folder, name)),
  );
  const text = sources.map((path) => readFileSync(path, 'utf8')).join('\n');
  return new Set(
    [...text.matchAll(READS)].map(([, how, name]) => (how === 'address' || how === 'secret' ? `${name!}_FILE` : name!)),
  );
}
