import { createRequire } from 'node:module';

import type * as ajvModule from 'ajv';
import type { Ajv, AnySchemaObject, ErrorObject, ValidateFunction } from 'ajv';
import type { FormatsPlugin } from 'ajv-formats';
import type { FastifyInstance } from 'fastify';

import { MaceError } from '#lib/kernel';

import { DEFINITIONS, schemaOf, type DtoClass } from './dto-schema.js';
import { NO_QUERY } from './query-string.js';

interface Form {
  readonly schema: AnySchemaObject;
  readonly validate: ValidateFunction;
  /** Whether it asks for nothing. */
  readonly mayBeEmpty: boolean;
}

type Place = 'body' | 'query';

const forms = new Map<DtoClass, Form>();

/**
 * Holds the query and the body of every route to the classes that its handler declares for them, before anything of the
 * handler runs: a hook of Fastify and no pipe of Nest, which would make promises for each parameter of each request.
 */
export function holdToForms(fastify: FastifyInstance, parts: FormParts): void {
  const held = new Forms(parts.isPersonal);
  fastify.addHook('preHandler', (request, _reply, done) => {
    const { queryForm, bodyForm } = request.mace.route;
    try {
      if (queryForm !== undefined) request.query = held.read('query', request.query, queryForm);
      if (bodyForm !== undefined) request.body = held.read('body', request.body ?? {}, bodyForm);
    } catch (error) {
      return done(error as Error);
    }
    done();
  });
}

/** What holding requests to forms needs of the edge. */
export interface FormParts {
  /** Whether a text holds personal data; ids that do are refused, and nowhere repeated. */
  readonly isPersonal: (text: string) => boolean;
}

/** The forms of operations, and what no form may hold. */
export class Forms {
  constructor(private readonly isPersonal: (text: string) => boolean) {}

  /** @throws MaceError INVALID_INPUT naming the field and its allowed form; PRIVACY_BLOCKED */
  read(place: Place, value: unknown, dto: DtoClass): unknown {
    const form = formOf(dto);
    if (value === NO_QUERY && form.mayBeEmpty) return {};
    const read =
      place === 'body'
        ? withoutNulls(value, form.schema, form.schema)
        : fromText(value as Record<string, unknown>, form.schema);
    const sound = checked(form, read, place);
    this.refusePersonalIds(sound, form.schema, form.schema, place);
    return sound;
  }

  /**
   * What a form itself calls an id goes into streams, events and answers; free content of that name is not looked at.
   * @throws MaceError PRIVACY_BLOCKED
   */
  private refusePersonalIds(value: unknown, schema: AnySchemaObject, root: AnySchemaObject, place: Place): void {
    const { properties = {}, items } = resolved(schema, root) as {
      properties?: Record<string, AnySchemaObject>;
      items?: AnySchemaObject;
    };
    if (Array.isArray(value)) {
      if (items) for (const item of value) this.refusePersonalIds(item, items, root, place);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [name, item] of Object.entries(value)) {
      if (!Object.hasOwn(properties, name)) continue;
      const texts = ID_NAME.test(name) ? [item].flat() : [];
      if (texts.some((text) => typeof text === 'string' && this.isPersonal(text))) {
        throw new MaceError('PRIVACY_BLOCKED', `${place}.${name}: an opaque id, without personal data`);
      }
      this.refusePersonalIds(item, properties[name]!, root, place);
    }
  }
}

/** Properties that hold ids or what ids are made of. */
const ID_NAME = /(?:^|_)(?:ids?|jti|seed|idempotency_key)$/;

/** The compiled form of a class. Exported for tests that compare it with class-validator. */
export function formOf(dto: DtoClass): Form {
  let form = forms.get(dto);
  if (!form) {
    const schema = schemaOf(dto);
    const validate = compiler().compile(schema);
    form = { schema, validate, mayBeEmpty: validate({}) === true };
    forms.set(dto, form);
  }
  return form;
}

let ajv: Ajv | undefined;

function compiler(): Ajv {
  if (ajv) return ajv;
  const load = createRequire(import.meta.url);
  const { Ajv: Compiler } = load('ajv') as typeof ajvModule;
  const addFormats = load('ajv-formats') as FormatsPlugin;
  ajv = new Compiler({ coerceTypes: false, removeAdditional: false, strictTypes: false, allErrors: false });
  addFormats(ajv);
  return ajv;
}

function checked(form: Form, value: unknown, place: Place): unknown {
  if (form.validate(value)) return value;
  throw new MaceError('INVALID_INPUT', describe(form.validate.errors![0]!, form.schema, place));
}

/** null for an optional field means absent (spec/memory.md). */
function withoutNulls(value: unknown, schema: AnySchemaObject, root: AnySchemaObject): unknown {
  const {
    properties,
    required = [],
    items,
  } = resolved(schema, root) as {
    properties?: Record<string, AnySchemaObject>;
    required?: readonly string[];
    items?: AnySchemaObject;
  };
  if (Array.isArray(value)) return items ? value.map((item: unknown) => withoutNulls(item, items, root)) : value;
  if (typeof value !== 'object' || value === null || !properties) return value;
  const kept = Object.entries(value).filter(
    ([name, item]) => item !== null || !(name in properties) || required.includes(name),
  );
  return Object.fromEntries(
    kept.map(([name, item]) => [
      name,
      Object.hasOwn(properties, name) ? withoutNulls(item, properties[name]!, root) : item,
    ]),
  );
}

/** Query parameters are text: where the class says number or boolean, exactly its usual notation is read. */
function fromText(texts: Record<string, unknown>, schema: AnySchemaObject): Record<string, unknown> {
  const { properties } = schema as { properties: Record<string, { type?: string }> };
  const read = Object.entries(texts).map(([name, text]) => {
    const type = Object.hasOwn(properties, name) ? properties[name]!.type : undefined;
    return [name, typeof text === 'string' ? readAs(type, text) : text];
  });
  return Object.fromEntries(read) as Record<string, unknown>;
}

function readAs(type: string | undefined, text: string): unknown {
  if ((type === 'integer' || type === 'number') && /^-?(0|[1-9][0-9]{0,14})$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function resolved(schema: AnySchemaObject, root: AnySchemaObject): AnySchemaObject {
  const { $ref } = schema as { $ref?: string };
  if (!$ref?.startsWith(DEFINITIONS)) return schema;
  return (
    ((root as { definitions?: Record<string, AnySchemaObject> }).definitions ?? {})[$ref.slice(DEFINITIONS.length)] ??
    schema
  );
}

/** Which field, and its allowed form; never what was sent. */
function describe(error: ErrorObject, schema: AnySchemaObject, place: Place): string {
  const field = [place, ...error.instancePath.split('/').filter(Boolean)].filter((part) => NAME.test(part)).join('.');
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'additionalProperties': {
      const name = String(params['additionalProperty']);
      const allowed = Object.keys((schema as { properties: object }).properties).join(', ');
      const where = error.instancePath === '' ? `; allowed: ${allowed || 'none'}` : '';
      return `${field}: unknown field${NAME.test(name) ? ` ${name}` : ''}${where}`;
    }
    case 'required':
      return `${field}.${String(params['missingProperty'])}: missing`;
    case 'enum':
      return `${field}: one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`;
    case 'not':
      return `${field}: may not be null`;
    default:
      return `${field}: ${error.message ?? 'has another form'}`;
  }
}

/** A name of our forms, or a place in a list: a name that others gave may be an identifier of a person. */
const NAME = /^[A-Za-z_]{1,64}$|^[0-9]{1,6}$/;
