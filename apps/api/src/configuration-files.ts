import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { policyTrial } from '#lib/governance';
import { canonicalize, CanonicalJsonError, type JsonObject } from '#lib/kernel';

import { ConfigurationForms } from './configuration-forms.js';

/** The folder that holds package.json: the same for sources and for what is built of them. */
export const PROJECT_ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));

/** A file of `config/` that cannot be meant: the message names the file, the member and its allowed form. */
export class ConfigurationFileError extends Error {
  constructor(name: string, reason: string) {
    super(`config/${name}.json: ${reason}`);
    this.name = 'ConfigurationFileError';
  }
}

/** A folder of configuration files, each held to its JSON Schema; they enter the log as snapshots. */
export class ConfigurationFolder {
  readonly forms: ConfigurationForms;

  constructor(
    private readonly folder: string,
    forms = new ConfigurationForms(join(folder, 'schema')),
  ) {
    this.forms = forms;
  }

  /** @throws ConfigurationFileError */
  read(name: string): JsonObject {
    const body = this.parsed(name);
    const fault = this.forms.fault(name, body);
    if (fault !== null) throw new ConfigurationFileError(name, fault);
    try {
      canonicalize(body);
    } catch (error) {
      if (error instanceof CanonicalJsonError)
        throw new ConfigurationFileError(name, `${error.pointer}: ${error.reason}`);
      throw error;
    }
    const locked = policyTrial(name, body as JsonObject);
    if (locked !== null) throw new ConfigurationFileError(name, `refused, it would lock everybody out: ${locked}`);
    return body as JsonObject;
  }

  /** Reads every file, so that a start is refused before anything is opened. @throws ConfigurationFileError */
  check(): void {
    for (const file of readdirSync(this.folder).sort()) if (file.endsWith('.json')) this.read(file.slice(0, -5));
  }

  private parsed(name: string): unknown {
    try {
      return JSON.parse(readFileSync(join(this.folder, `${name}.json`), 'utf8')) as unknown;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new ConfigurationFileError(name, code === 'ENOENT' ? 'missing; there is one in the release' : message);
    }
  }
}

/** The configuration that this process starts with. */
export const CONFIGURATION = new ConfigurationFolder(join(PROJECT_ROOT, 'config'));

/** A file of `config/`, which enters the log as a snapshot. @throws ConfigurationFileError */
export function configFile(name: string): JsonObject {
  return CONFIGURATION.read(name);
}

/** `mace-<version>`, as recorded with every job. */
export function systemVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string };
  return `mace-${version}`;
}

function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('no package.json above this file');
  return rootAbove(parent);
}
