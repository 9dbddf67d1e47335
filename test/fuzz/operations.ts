import type { Schema } from './schema-values.js';

/** The part of an OpenAPI document that requests are drawn from and answers are held against. */

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Response>>;
    readonly headers?: Readonly<Record<string, Header>>;
  };
}

export interface Operation extends Described {
  /** In capitals. */
  readonly method: string;
  /** With its parts as `{job_id}`. */
  readonly template: string;
}

/** Every operation, with its references to responses and headers followed. */
export function operationsOf({ paths, components }: Description): readonly Operation[] {
  return Object.entries(paths).flatMap(([template, verbs]) =>
    Object.entries(verbs).map(([verb, described]) => ({
      ...described,
      method: verb.toUpperCase(),
      template,
      responses: mapped(described.responses, (one) => {
        const response = followed(one, components.responses);
        return {
          ...response,
          headers: mapped(response.headers ?? {}, (header) => followed(header, components.headers)),
        };
      }),
    })),
  );
}

function mapped<T, U>(named: Readonly<Record<string, T>>, to: (one: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(named).map(([name, one]) => [name, to(one)]));
}

/** @throws Error for a reference that leads nowhere */
function followed<T extends { readonly $ref?: string }>(one: T, named: Readonly<Record<string, T>> = {}): T {
  if (one.$ref === undefined) return one;
  const found = named[one.$ref.split('/').at(-1)!];
  if (!found) throw new Error(`${one.$ref} is not in the document`);
  return found;
}

/**
 * The operation that a request line asks for, as a router sees it: parts are not decoded, one that is written out comes
 * before one that is not, and HEAD is answered where GET is.
 */
export function operationAt(operations: readonly Operation[], method: string, target: string): Operation | undefined {
  const [path] = target.split(/[?#]/, 1) as [string];
  const verb = method === 'HEAD' ? 'GET' : method;
  const there = operations.filter((one) => one.method === verb && formOf(one.template).test(path));
  return there.sort((a, b) => partsIn(a.template) - partsIn(b.template))[0];
}

const forms = new Map<string, RegExp>();

function formOf(template: string): RegExp {
  let form = forms.get(template);
  if (!form) {
    const parts = template.split(/\{[^}]+\}/).map((part) => part.replace(/[.*+?^$()|[\]\\]/g, '\\$&'));
    form = new RegExp(`^${parts.join('[^/]*')}$`, 's');
    forms.set(template, form);
  }
  return form;
}

function partsIn(template: string): number {
  return template.split('{').length;
}
