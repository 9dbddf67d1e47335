import { sentTarget, targetOf } from '#lib/client/browser';

/** A request in the forms in which others make it: curl, GraphQL, the command line. */

/** Where something stands in a request: `path.job_id`, `query.limit`, `body.payload.value`; several with spaces between. */
export type Place = string;

/**
 * How a command takes a value: as it is; as JSON; several with commas between them; parts of a path with slashes between
 * them; what another place has of the same text, all of it or what stands before its colon; by a flag that stands for one
 * value, or words that stand for one each.
 */
export type Mode =
  | 'text'
  | 'json'
  | ','
  | '/'
  | 'same'
  | 'kind'
  | { readonly is: unknown }
  | { readonly of: readonly (readonly [string, unknown])[] };

type Source = number | string | readonly [number | string, Mode];
const sourceOf = (source: Source): readonly [number | string, Mode] =>
  typeof source === 'object' ? source : [source, 'text'];

/** A command that asks for an operation, as it was seen to. */
export interface CommandForm {
  readonly run: string;
  /** By the places that it fills: an argument by its index, or an option by its name; how it takes it, if not as it is. */
  readonly from: Readonly<Record<Place, Source>>;
  /** What it sends whatever it is given. */
  readonly fixed?: Readonly<Record<Place, unknown>>;
  /** What it looks up itself. */
  readonly found?: readonly Place[];
  /** What it is never given without. */
  readonly needs?: readonly (number | string)[];
  /** Options that it is always given. */
  readonly always?: readonly string[];
  readonly keyed?: true;
}

/** A field that asks for an operation. */
export interface GraphqlForm {
  readonly field: string;
  /** `query`, `mutation` or `subscription`. */
  readonly root: string;
  /** Types of its arguments. */
  readonly args: Readonly<Record<string, string>>;
  /** What is selected of its answer. */
  readonly answer: string;
}

/** By operation; why there is none where there is none. */
export type Forms = Readonly<
  Record<string, { readonly graphql: GraphqlForm | string; readonly commands: readonly CommandForm[] | string }>
>;

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

/** What is asked, as a call of the client says it. */
export interface Asked {
  readonly path?: Values;
  readonly query?: Values;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

/** A form, or why there is none. */
export type Copy = { readonly text: string; readonly variables?: string } | { readonly none: string };

/** The same request, to be run by a POSIX shell with a token of one's own. @throws TypeError for a part of the path that no URL has */
export function curlOf(server: string, operation: string, { path, query, body, idempotencyKey }: Asked): Copy {
  const [method = '', template = ''] = operation.split(' ');
  const lines = [
    `curl -sS${template === '/events/tail' ? 'N' : ''}${method === 'GET' ? '' : ` -X ${method}`} ${quoted(server + sentTarget(targetOf(template, path, query)))}`,
    '-H "Authorization: Bearer $MACE_TOKEN"',
    ...(idempotencyKey === undefined ? [] : [`-H ${quoted(`Idempotency-Key: ${idempotencyKey}`)}`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return { text: lines.join(' \\\n  ') };
}

/** Under names of its own: an answer may have fields of the same names and of other types. */
export const FAILURE =
  '... on Failure { failure_code: error_code failure_message: user_message failure_reason: developer_message }';
const RELAY: Readonly<Record<string, string>> = { limit: 'first', cursor: 'after', last_event_id: 'after' };

/** The same as a document and its variables. */
export function graphqlOf(forms: Forms, operation: string, request: Asked): Copy {
  const form = forms[operation]?.graphql ?? 'it is not known here';
  if (typeof form === 'string') return { none: form };
  const { path, query, body, idempotencyKey } = request;
  const given = Object.entries({
    ...path,
    ...Object.fromEntries(Object.entries(query ?? {}).map(([name, value]) => [RELAY[name] ?? name, value])),
    input: body,
    idempotency_key: idempotencyKey,
  })
    .filter(([, value]) => value !== undefined)
    // An empty body asks for nothing.
    .filter(([name, value]) => name !== 'input' || form.args[name] !== undefined || JSON.stringify(value) !== '{}');
  const unknown = given.find(([name]) => form.args[name] === undefined);
  if (unknown) return { none: `the field ${form.field} has no argument ${unknown[0]}` };
  const declared = given.map(([name]) => `$${name}: ${form.args[name]}`).join(', ');
  const named = given.map(([name]) => `${name}: $${name}`).join(', ');
  const [outer, inner] = declared === '' ? ['', ''] : [` (${declared})`, `(${named})`];
  const answer = `{ ${form.answer} ${FAILURE} }`;
  return {
    text: indented(`${form.root}${outer} { ${form.field}${inner} ${answer} }`),
    variables: JSON.stringify(
      Object.fromEntries(given.map(([name, value]) => [name, typed(form.args[name]!, value)])),
      null,
      2,
    ),
  };
}

/** A text of a URL as its argument has it. */
function typed(type: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/^(?:Int|Float)\b/.test(type)) return Number(value);
  return type.startsWith('Boolean') ? value === 'true' : value;
}

/** A selection with a line for each thing that has more in it. */
function indented(text: string): string {
  const lines = text.replace(/ ?([{}]) ?/g, (_, brace) => (brace === '{' ? ' {\n' : '\n}\n')).split(/\n+/);
  let depth = 0;
  const shown = lines.map((line) => {
    if (line === '}') depth -= 1;
    const whole = '  '.repeat(depth) + line;
    if (line.endsWith('{')) depth += 1;
    return whole;
  });
  return shown.join('\n').trim();
}

/** The same as a command. */
export function commandOf(forms: Forms, operation: string, request: Asked): Copy {
  const commands = forms[operation]?.commands ?? 'it is not known here';
  if (typeof commands === 'string') return { none: commands };
  const tried = commands.map((form) => lineOf(form, request));
  return tried.find((one) => 'text' in one) ?? tried[0]!;
}

class Unsaid extends Error {}

function lineOf(form: CommandForm, request: Asked): Copy {
  try {
    return { text: new Line(form).of(request) };
  } catch (error) {
    if (!(error instanceof Unsaid)) throw error;
    return { none: `mace ${form.run} ${error.message}` };
  }
}

class Line {
  private readonly given = new Map<number | string, string | null>();
  private readonly seen = new Set<Place>();
  private readonly from: ReadonlyMap<Place, readonly [number | string, Mode]>;

  constructor(private readonly form: CommandForm) {
    this.from = new Map(Object.entries(form.from).map(([place, source]) => [place, sourceOf(source)]));
  }

  /** @throws Unsaid */
  of({ path, query, body, idempotencyKey }: Asked): string {
    const { run, fixed = {}, needs = [], always = [], keyed } = this.form;
    for (const name of always) this.given.set(name, null);
    const all = { path, query, body };
    for (const [place, [by, mode]] of this.from) if (mode === '/') this.join(place.split(' '), by, path ?? {});
    for (const [place, value] of Object.entries(all)) if (value !== undefined) this.fill(place, value);
    for (const [place, [by, mode]] of this.from)
      if (mode === 'same' || mode === 'kind') this.follows(place, by, mode, all);
    const forced = Object.keys(fixed).find((place) => !this.seen.has(place));
    if (forced !== undefined) throw new Unsaid(`sends ${nameOf(forced)} too`);
    const missing = needs.find((name) => !this.given.has(name));
    if (missing !== undefined) {
      const [place = ''] = [...this.from].find(([, [by]]) => by === missing) ?? [];
      throw new Unsaid(`needs ${nameOf(place)}`);
    }
    if (keyed && idempotencyKey !== undefined) this.given.set('--idempotency-key', idempotencyKey);
    return this.text(run);
  }

  private text(run: string): string {
    const words: string[] = [];
    const options: string[] = [];
    for (const [name, value] of this.given) {
      if (typeof name === 'number') words[name] = quoted(value!);
      else options.push(value === null ? name : `${name} ${quoted(value)}`);
    }
    const isMistakable = words.some((word) => /^'?-/.test(word));
    const rest = isMistakable ? [...options, '--', ...words] : [...words, ...options];
    return ['mace', run, ...rest].join(' ');
  }

  private fill(place: Place, value: unknown): void {
    const { fixed = {}, found = [] } = this.form;
    if (value === undefined || this.seen.has(place)) return;
    const [by, mode] = this.from.get(place) ?? [];
    this.seen.add(place);
    if (by !== undefined && mode !== undefined) {
      if (mode !== 'same' && mode !== 'kind') this.put(place, by, mode, value);
      return;
    }
    if (place in fixed && alike(fixed[place], value)) return;
    // A command reads a page as it is, or all of them.
    if (found.includes(place) || place === 'query.limit' || place === 'query.cursor') return;
    const known = [...this.from.keys(), ...Object.keys(fixed), ...found].join(' ').split(' ');
    const isDeep = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isDeep && (!place.includes('.') || known.some((one) => one.startsWith(`${place}.`)))) {
      for (const [name, one] of Object.entries(value)) this.fill(`${place}.${name}`, one);
      return;
    }
    throw new Unsaid(`has no option for ${nameOf(place)}${place in fixed ? ' of another value' : ''}`);
  }

  private join(places: readonly Place[], by: number | string, path: Values): void {
    const parts = places.map((place) => String(path[place.slice('path.'.length)]));
    if (parts.some((part) => part.includes('/'))) throw new Unsaid('takes no / in a part of a name');
    for (const place of places) this.seen.add(place);
    this.given.set(by, parts.join('/'));
  }

  private put(place: Place, by: number | string, mode: Mode, value: unknown): void {
    const name = nameOf(place);
    const refuse = (): never => {
      throw new Unsaid(`has no word for this ${name}`);
    };
    if (mode === 'text' && (typeof value === 'string' || !place.startsWith('body.'))) this.given.set(by, String(value));
    else if (mode === 'json') this.given.set(by, JSON.stringify(value));
    else if (mode === ',') {
      const words = Array.isArray(value) ? value.map(String) : [];
      if (words.length === 0 || words.some((word) => word.includes(',') || word.trim() !== word)) refuse();
      this.given.set(by, words.join(','));
    } else if (typeof mode !== 'object') refuse();
    else if ('is' in mode) {
      if (alike(mode.is, value)) this.given.set(by, null);
      else if (!alike(false, value)) refuse();
    } else this.given.set(by, mode.of.find(([, one]) => alike(one, value))?.[0] ?? refuse());
  }

  /** What the command makes of a text that it was given must be what is asked. */
  private follows(place: Place, by: number | string, mode: 'same' | 'kind', all: object): void {
    const text = this.given.get(by) ?? '';
    const value = place.split('.').reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>>)[name], all);
    if (value !== (mode === 'same' ? text : text.split(':')[0])) throw new Unsaid(`has no option for ${nameOf(place)}`);
  }
}

const nameOf = (place: Place): string => place.slice(place.indexOf('.') + 1);

/** In a URL everything is a text. */
const alike = (one: unknown, other: unknown): boolean =>
  String(one) === String(other) && typeof one !== 'object' && typeof other !== 'object';

/** A word of a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
