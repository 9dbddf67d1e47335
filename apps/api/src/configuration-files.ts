import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type OtherPolicies, policyFault, policyTrial, TRIED_BESIDE } from '#lib/governance';
import { canonicalize, CanonicalJsonError, type JsonObject } from '#lib/kernel';

import { ConfigurationForms } from './configuration-forms.js';
import { PROJECT_ROOT } from './system-version.js';

export { PROJECT_ROOT, systemVersion } from './system-version.js';

/** A file of `config/` that cannot be meant: the message names the file, the member and its allowed form. */
export class ConfigurationFileError extends Error {
  constructor(name: string, reason: string) {
    super(`config/${name}.json: ${reason}`);
    this.name = 'ConfigurationFileError';
  }
}

/** Why a file cannot be read, by the system's word for it. */
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'missing; there is one in the release',
  EISDIR: 'a folder, and a file should stand there; there is one in the release',
  EACCES: 'not for this user to read; let it be read by whoever starts the server',
};

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
    const fault = this.forms.fault(name, body) ?? policyFault(name, body as JsonObject);
    if (fault !== null) throw new ConfigurationFileError(name, fault);
    try {
      canonicalize(body);
    } catch (error) {
      if (error instanceof CanonicalJsonError)
        throw new ConfigurationFileError(name, `${error.pointer}: ${error.reason}`);
      throw error;
    }
    const locked = policyTrial(name, body as JsonObject, this.beside(name));
    if (locked !== null) throw new ConfigurationFileError(name, `refused, it would lock everybody out: ${locked}`);
    return body as JsonObject;
  }

  /** The file that this one is tried with; where it is not sound itself, its own reading says so. */
  private beside(name: string): OtherPolicies {
    const other = TRIED_BESIDE[name];
    if (other === undefined || !existsSync(join(this.folder, `${other}.json`))) return {};
    try {
      const body = this.parsed(other);
      return this.forms.fault(other, body) === null ? { [other]: body as JsonObject } : {};
    } catch (error) {
      if (error instanceof ConfigurationFileError) return {};
      throw error;
    }
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
      throw new ConfigurationFileError(name, (code === undefined ? undefined : UNREADABLE[code]) ?? message);
    }
  }
}

/** The configuration that this process starts with. */
export const CONFIGURATION = new ConfigurationFolder(join(PROJECT_ROOT, 'config'));

/** A file of `config/`, which enters the log as a snapshot. @throws ConfigurationFileError */
export function configFile(name: string): JsonObject {
  return CONFIGURATION.read(name);
}
