import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type * as ajvModule from 'ajv';
import type { Ajv, AnySchemaObject, ErrorObject, ValidateFunction } from 'ajv';

/** The JSON Schemas of the files of `config/`: what they may say, and how a fault is told. */
export class ConfigurationForms {
  private readonly forms = new Map<string, ValidateFunction>();
  private compiler: Ajv | undefined;

  /** @param folder that holds `<name>.schema.json` for each file */
  constructor(private readonly folder: string) {}

  /** `/pointer: allowed form` of the first member that is not as it may be; null where all are. */
  fault(name: string, body: unknown): string | null {
    const validate = this.formOf(name);
    if (validate(body)) return null;
    const error = validate.errors![0]!;
    return `${pointerOf(error)}: ${allowedBy(error)}`;
  }

  private formOf(name: string): ValidateFunction {
    let form = this.forms.get(name);
    if (!form) {
      const schema = JSON.parse(readFileSync(join(this.folder, `${name}.schema.json`), 'utf8')) as AnySchemaObject;
      form = this.ajv().compile(schema);
      this.forms.set(name, form);
    }
    return form;
  }

  private ajv(): Ajv {
    if (!this.compiler) {
      const { Ajv: Compiler } = createRequire(import.meta.url)('ajv') as typeof ajvModule;
      this.compiler = new Compiler({ allErrors: false, verbose: true, strictTypes: false });
    }
    return this.compiler;
  }
}

function pointerOf({ keyword, instancePath, params }: ErrorObject): string {
  const { missingProperty, additionalProperty } = params as Record<string, unknown>;
  if (keyword === 'required') return `${instancePath}/${String(missingProperty)}`;
  if (keyword === 'additionalProperties') return `${instancePath}/${String(additionalProperty)}`;
  return instancePath === '' ? '/' : instancePath;
}

function allowedBy({ keyword, params, parentSchema }: ErrorObject): string {
  const form = parentSchema as Form & { readonly properties?: Readonly<Record<string, Form>> };
  const { properties = {} } = form;
  if (keyword === 'required') {
    const schema = properties[String((params as Record<string, unknown>)['missingProperty'])];
    return `missing; ${inWords(schema)}`;
  }
  if (keyword === 'additionalProperties') return `unknown; there are ${Object.keys(properties).join(', ')}`;
  return inWords(form);
}

/** What of a schema of ours is told. */
interface Form {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
}

/** A schema as a person reads it. */
function inWords(schema: Form | undefined): string {
  const { type = '', minimum, maximum, minItems, maxItems, pattern, description, enum: values } = schema ?? {};
  const range = minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
  const counts = [
    ...(minItems === undefined ? [] : [`at least ${minItems}`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
  ].join(', ');
  const count = counts === '' ? '' : ` (${counts})`;
  const kind = values ? `one of ${values.join(', ')}` : (KINDS[type] ?? 'another form') + range + count;
  const form = pattern === undefined ? kind : `${kind} like ${pattern}`;
  return description === undefined ? form : `${form}. ${description}`;
}

const KINDS: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};
