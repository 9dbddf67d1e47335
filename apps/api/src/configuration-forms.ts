import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { shownName } from '#lib/kernel';

/**
 * What our schemas of `config/` are made of: a small part of JSON Schema, read as it stands. Compiling them with ajv
 * would take longer than all the rest of a start; a test holds both to the same verdicts.
 */
export interface Form {
  readonly $ref?: string;
  readonly definitions?: Readonly<Record<string, Form>>;
  readonly description?: string;
  readonly type?: keyof typeof KINDS;
  readonly enum?: readonly (string | boolean)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: Form;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Form>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  /** Of members whose names the file chooses; otherwise false: what a file says and nobody reads is a mistake. */
  readonly additionalProperties?: false | Form;
  /** Of the names that the file chooses. */
  readonly propertyNames?: Form;
}

const KINDS = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
} as const;

type Members = Readonly<Record<string, unknown>>;

/** The JSON Schemas of the files of `config/`: what they may say, and how a fault is told. */
export class ConfigurationForms {
  private readonly forms = new Map<string, Form>();

  /** @param folder that holds `<name>.schema.json` for each file */
  constructor(private readonly folder: string) {}

  /** `/pointer: allowed form` of the first member that is not as it may be; null where all are. */
  fault(name: string, body: unknown): string | null {
    let form = this.forms.get(name);
    if (!form) {
      form = JSON.parse(readFileSync(join(this.folder, `${name}.schema.json`), 'utf8')) as Form;
      this.forms.set(name, form);
    }
    return faultOf(form, body, '', form);
  }
}

function faultOf(given: Form, value: unknown, pointer: string, root: Form): string | null {
  const form = given.$ref === undefined ? given : root.definitions![given.$ref.replace('#/definitions/', '')]!;
  if (!fits(form, value)) return `${pointer === '' ? '/' : pointer}: ${inWords(form)}`;
  if (Array.isArray(value)) {
    return first(value, (item, i) => (form.items ? faultOf(form.items, item, `${pointer}/${i}`, root) : null));
  }
  if (typeof value !== 'object' || value === null) return null;
  const { properties = {}, required = [], additionalProperties: chosen, propertyNames = {} } = form;
  const members = value as Members;
  // A name that is spelled wrong is unknown and missing at once: who reads what there is finds both.
  const unknown = Object.keys(members).find(
    (name) => !Object.hasOwn(properties, name) && !(chosen && fits(propertyNames, name)),
  );
  if (unknown !== undefined) {
    const allowed = chosen
      ? `the name is ${inWords(propertyNames)}`
      : `there are ${Object.keys(properties).join(', ')}`;
    return `${pointer}/${shownName(unknown)}: unknown; ${allowed}`;
  }
  const missing = required.find((name) => !Object.hasOwn(members, name));
  if (missing !== undefined) return `${pointer}/${missing}: missing; ${inWords(properties[missing])}`;
  return first(Object.keys(members), (name) => {
    const member = Object.hasOwn(properties, name) ? properties[name]! : (chosen as Form);
    return faultOf(member, members[name], `${pointer}/${name}`, root);
  });
}

/** Whether the value itself has the form, its members left out. */
function fits(form: Form, value: unknown): boolean {
  if (form.enum && !form.enum.some((one) => one === value)) return false;
  if (form.type !== undefined && !isOf(form.type, value)) return false;
  if (typeof value === 'number') return within(value, form.minimum, form.maximum);
  if (typeof value === 'string') {
    const { minLength, maxLength, pattern } = form;
    const fitting = pattern === undefined || new RegExp(pattern, 'u').test(value);
    return within([...value].length, minLength, maxLength) && fitting;
  }
  if (Array.isArray(value)) {
    const distinct = form.uniqueItems !== true || new Set(value).size === value.length;
    return within(value.length, form.minItems, form.maxItems) && distinct;
  }
  if (typeof value !== 'object' || value === null) return true;
  return within(Object.keys(value).length, form.minProperties, form.maxProperties);
}

function isOf(type: keyof typeof KINDS, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function within(size: number, low = -Infinity, high = Infinity): boolean {
  return size >= low && size <= high;
}

function first<T>(values: readonly T[], look: (value: T, index: number) => string | null): string | null {
  for (const [i, value] of values.entries()) {
    const found = look(value, i);
    if (found !== null) return found;
  }
  return null;
}

/** A form as a person reads it. */
function inWords(form: Form | undefined): string {
  const { type, minimum, maximum, minItems, maxItems, pattern, description, enum: values } = form ?? {};
  const range = minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
  const counts = [
    ...(minItems === undefined ? [] : [`at least ${minItems}`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
  ].join(', ');
  const count = counts === '' ? '' : ` (${counts})`;
  const kind = values ? `one of ${values.join(', ')}` : (type ? KINDS[type] : 'another form') + range + count;
  const allowed = pattern === undefined ? kind : `${kind} like ${pattern}`;
  return description === undefined ? allowed : `${allowed}. ${description}`;
}
