import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type { Option } from 'commander';

import { mace } from '../../apps/cli/src/testing/mace.js';
import type { CommandForm, Mode, Place } from '../../apps/console/src/lib/forms.js';
import { hasOption, type ListedCommand } from './command-line.js';
import type { Asked, DescribedServer } from './described-server.js';

/**
 * What each argument and option of a command becomes in the request that the command sends. Nobody says that anywhere: the
 * command is run against a server that notes what it is asked, with one value changed at a time.
 */

/** Values of arguments, by their index, and of options, by their long name; null where an option takes none. */
type Given = ReadonlyMap<number | string, string | null>;

interface Sent {
  readonly operation: string;
  readonly places: ReadonlyMap<Place, unknown>;
  /** What was read before it. */
  readonly read: string;
}

/** Values of which a command takes at least one, whatever it checks itself. */
const TEXTS = [
  'zq',
  '7',
  '0.5',
  '{"zq":7}',
  '2026-11-21T12:00:00.000Z',
  'user/profile/zq/zq',
  `job:${'5'.repeat(32)}`,
  '5'.repeat(64),
];
/** They say how a command answers, or as whom it asks. */
const PAGE: ReadonlySet<Place> = new Set(['query.limit', 'query.cursor']);
const BESIDE: ReadonlySet<string> = new Set(['--dry-run', '--idempotency-key', '--output', '--help']);

interface Learned {
  /** By what each asks for; none that another has the places of. */
  readonly forms: ReadonlyMap<string, readonly CommandForm[]>;
  /** Values that a command takes, by operation and place. */
  readonly samples: ReadonlyMap<string, ReadonlyMap<Place, unknown>>;
  /** Commands that ask for something on their way to something else. */
  readonly onTheWay: ReadonlyMap<string, string>;
}

/** The forms of those commands that ask for one of these operations. */
export async function commandForms(
  server: DescribedServer,
  commands: readonly ListedCommand[],
  operations: ReadonlySet<string>,
): Promise<Learned> {
  const found = new Map<string, readonly CommandForm[]>();
  const samples = new Map<string, ReadonlyMap<Place, unknown>>();
  const onTheWay = new Map<string, string>();
  for (const command of commands) {
    const known = new Set<string>();
    for (const example of command.examples) {
      const learner = new Learner(server, command);
      const given = parsed(command, example);
      const sent = await learner.run(given);
      for (const { operation = '' } of learner.asked) onTheWay.set(operation, command.name);
      if (sent === undefined || known.has(sent.operation) || !operations.has(sent.operation)) continue;
      known.add(sent.operation);
      samples.set(sent.operation, new Map([...(samples.get(sent.operation) ?? []), ...sent.places]));
      const before = found.get(sent.operation) ?? [];
      const form = await learner.learn(given, sent.operation);
      samples.set(sent.operation, new Map([...samples.get(sent.operation)!, ...learner.samples]));
      if (!form) continue;
      const has = new Set(before.flatMap((one) => [...Object.keys(one.from), ...Object.keys(one.fixed ?? {})]));
      const isNew = Object.keys(form.from).some((place) => !has.has(place));
      if (before.length === 0 || isNew) found.set(sent.operation, [...before, form]);
    }
  }
  return { forms: found, samples, onTheWay };
}

function parsed({ name, command }: ListedCommand, example: readonly string[]): Given {
  const given = new Map<number | string, string | null>();
  let at = 0;
  const words = example.filter((word) => word !== '--json').slice(name.split(' ').length);
  for (let i = 0; i < words.length; i++) {
    const option = optionOf(command.options, words[i]!);
    if (!option) given.set(at++, words[i]!);
    else given.set(option.long!, takesValue(option) ? words[++i]! : null);
  }
  return given;
}

const optionOf = (options: readonly Option[], word: string): Option | undefined =>
  options.find(({ long, short }) => word === long || word === short);
const takesValue = ({ required, optional }: Option): boolean => required || optional;

class Learner {
  asked: readonly Asked[] = [];
  readonly samples = new Map<Place, unknown>();

  constructor(
    private readonly server: DescribedServer,
    private readonly of: ListedCommand,
  ) {}

  /** The one request that a command is there for: what it changes by, or the only thing that it reads. */
  async run(given: Given): Promise<Sent | undefined> {
    const entries = [...given];
    const file = join(this.server.folder, 'output');
    const options = entries.flatMap(([name, value]) =>
      typeof name === 'number' ? [] : [name, ...(value === null ? [] : [name === '--output' ? file : value])],
    );
    const words = entries.flatMap(([name, value]) => (typeof name === 'number' ? [value!] : []));
    this.server.taken();
    await mace('--data', this.server.folder, '--json', ...this.of.name.split(' '), ...options, '--', ...words);
    const asked = (this.asked = this.server.taken());
    const changing = asked.filter(({ method }) => method !== 'GET');
    const one = changing.length > 0 ? changing : asked;
    const operations = new Set(one.map(({ operation }) => operation));
    const read = asked.filter((each) => !one.includes(each)).map(({ answer }) => answer);
    return operations.size === 1 && one[0]!.operation !== undefined
      ? { ...sentBy(one[0]!), read: JSON.stringify(read) }
      : undefined;
  }

  async learn(example: Given, operation: string): Promise<CommandForm | undefined> {
    const base = await this.least(example, operation);
    const sent = (await this.run(base))!;
    const { command, name } = this.of;
    const names = [
      ...command.registeredArguments.map((_, i) => i),
      ...command.options.map(({ long }) => long!).filter((long) => !BESIDE.has(long)),
    ];
    const from: Record<Place, readonly [number | string, Mode]> = {};
    for (const one of names)
      for (const [places, mode] of await this.argument(one, base, sent, example)) {
        const before = from[places]?.[1];
        // What it makes of another text may be said by itself too.
        if (before === undefined || before === 'same' || before === 'kind') from[places] = [one, mode];
      }
    const explained = Object.keys(from).flatMap((places) => places.split(' '));
    const rest = [...sent.places].flatMap(([place, value]) => unexplained(place, value, explained));
    // A page is as long as it is, and what was looked up is looked up again.
    const fixed = rest.filter(
      ([place, value]) => !PAGE.has(place) && !sent.read.includes(JSON.stringify(value).slice(1, -1)),
    );
    const found = rest.filter((one) => !fixed.includes(one) && !PAGE.has(one[0])).map(([place]) => place);
    // What it sends without being told to has to be told, so that it is what is asked.
    const needs = Object.entries(from).flatMap(([place, [by, mode]]) =>
      !place.startsWith('path.') && !PAGE.has(place) && mode !== 'same' && mode !== 'kind' && has(sent.places, place)
        ? [by]
        : [],
    );
    const silent = [...base].filter(([one]) => !Object.values(from).some(([by]) => by === one));
    if (silent.some(([, value]) => value !== null)) return undefined;
    return {
      run: name,
      from: Object.fromEntries(
        Object.entries(from).map(([place, [by, mode]]) => [place, mode === 'text' ? by : [by, mode]]),
      ),
      ...(fixed.length === 0 ? {} : { fixed: Object.fromEntries(fixed) }),
      ...(found.length === 0 ? {} : { found }),
      ...(needs.length === 0 ? {} : { needs }),
      ...(silent.length === 0 ? {} : { always: silent.map(([one]) => one as string) }),
      ...(hasOption(this.of, '--idempotency-key') ? { keyed: true } : {}),
    };
  }

  /** The example without what may be left out. */
  private async least(example: Given, operation: string): Promise<Given> {
    let least = example;
    for (const name of example.keys()) {
      const without = new Map(least);
      without.delete(name);
      const isRequired = typeof name === 'number' && this.of.command.registeredArguments[name]!.required;
      if (!isRequired && (await this.run(without))?.operation === operation) least = without;
    }
    return least;
  }

  private async argument(
    name: number | string,
    base: Given,
    sent: Sent,
    example: Given,
  ): Promise<readonly (readonly [Place, Mode])[]> {
    const { command } = this.of;
    const one =
      typeof name === 'number'
        ? command.registeredArguments[name]!
        : command.options.find(({ long }) => long === name)!;
    const probe = (text: string | null): Promise<Change | undefined> =>
      this.change(new Map([...base, [name, text]]), sent);
    if (typeof name === 'string' && !takesValue(one as Option)) {
      const changed = await probe(null);
      return changed?.size === 1 ? [...changed].map(([place, is]) => [place, { is }] as const) : [];
    }
    const own = example.get(name) ?? undefined;
    if (one.argChoices && one.argChoices.length > 0) {
      const learned = await choice(one.argChoices, own, sent, probe);
      for (const [place, , value] of learned) this.samples.set(place, value);
      return learned.map(([place, mode]) => [place, mode] as const);
    }
    const parts = [...sent.places].filter(
      ([place, value]) => place.startsWith('path.') && own?.split('/').includes(String(value)),
    );
    if (parts.length > 1 && parts.map(([, value]) => value).join('/') === own)
      return [[parts.map(([place]) => place).join(' '), '/']];
    for (const text of [...(own === undefined ? [] : [other(own), own]), ...TEXTS]) {
      const changed = await probe(text);
      const [first, ...more] = changed ?? [];
      if (first === undefined) continue;
      const mode = await modeOf(text, first[1], async (again) => (await probe(again))?.get(first[0]));
      if (!mode) continue;
      this.samples.set(first[0], first[1]);
      const kind = own?.includes(':') ? own.split(':')[0] : undefined;
      const kinds = [...sent.places].filter(([place, value]) => place !== first[0] && value === kind);
      return [
        [first[0], mode],
        ...more.filter(([, value]) => value === text).map(([place]) => [place, 'same'] as const),
        ...kinds.map(([place]) => [place, 'kind'] as const),
      ];
    }
    // Where it is looked up first, no other is found.
    return [...sent.places].filter(([, value]) => value === own).map(([place]) => [place, 'text'] as const);
  }

  /** What is otherwise in the request; undefined where another one is sent, or none. */
  private async change(given: Given, before: Sent): Promise<Change | undefined> {
    const after = await this.run(given);
    if (after?.operation !== before.operation) return undefined;
    const names = new Set([...before.places.keys(), ...after.places.keys()]);
    const changes = [...names].flatMap((place) => changesIn(place, before.places.get(place), after.places.get(place)));
    return new Map(changes);
  }
}

type Change = ReadonlyMap<Place, unknown>;

/** @returns what differs, the smallest that holds it */
function changesIn(place: Place, before: unknown, after: unknown): readonly (readonly [Place, unknown])[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [[place, after]];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  // One document in place of another, not members of it.
  if (differing.some((name) => !(name in after)) || differing.length > 1) return [[place, after]];
  return differing.flatMap((name) => changesIn(`${place}.${name}`, before[name], after[name]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether something stands there, or in it. */
function has(places: ReadonlyMap<Place, unknown>, place: Place): boolean {
  const [part, name = '', ...inside] = place.split('.');
  const value = inside.reduce<unknown>(
    (at, one) => (isObject(at) ? at[one] : undefined),
    places.get(`${part}.${name}`),
  );
  return value !== undefined;
}

/** What a command sends, but for what it was given. */
function unexplained(
  place: Place,
  value: unknown,
  explained: readonly Place[],
): readonly (readonly [Place, unknown])[] {
  if (explained.includes(place)) return [];
  if (!isObject(value) || !explained.some((one) => one.startsWith(`${place}.`))) return [[place, value]];
  return Object.entries(value).flatMap(([name, one]) => unexplained(`${place}.${name}`, one, explained));
}

/** As what a text is sent; undefined where that is not to be told. */
async function modeOf(
  text: string,
  value: unknown,
  probe: (text: string) => Promise<unknown>,
): Promise<Mode | undefined> {
  if (value === text) return (await probe('7')) === 7 || (await probe('true')) === true ? 'json' : 'text';
  if (isDeepStrictEqual(value, [text]) && isDeepStrictEqual(await probe('zq,yq'), ['zq', 'yq'])) return ',';
  return isDeepStrictEqual(value, jsonOf(text)) ? 'json' : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function choice(
  choices: readonly string[],
  own: string | undefined,
  sent: Sent,
  probe: (text: string) => Promise<Change | undefined>,
): Promise<readonly (readonly [Place, Mode, unknown])[]> {
  const seen: [Place, string, unknown][] = [];
  for (const text of choices) for (const [place, value] of (await probe(text)) ?? []) seen.push([place, text, value]);
  const [place] = seen[0] ?? [];
  if (place === undefined || seen.some(([other]) => other !== place)) return [];
  // The one that the least request has already changes nothing.
  if (own !== undefined && sent.places.has(place) && !seen.some(([, text]) => text === own))
    seen.push([place, own, sent.places.get(place)]);
  if (seen.every(([, text, value]) => isDeepStrictEqual(value, [text]))) return [[place, ',', seen[0]![2]]];
  if (seen.every(([, text, value]) => value === text)) return [[place, 'text', seen[0]![2]]];
  return [[place, { of: seen.map(([, text, value]) => [text, value] as const) }, seen[0]![2]]];
}

/** Another value of the same form. */
function other(text: string): string {
  return text.replace(/[0-9a-zA-Z](?=[^0-9a-zA-Z]*$)/, (last) =>
    last === '7' || last === 'a' ? '8' : /[0-9]/.test(last) ? '7' : 'a',
  );
}

/** A request by the places of its operation. */
export function sentBy({ operation, path, body, headers }: Asked): Omit<Sent, 'read'> {
  const [target, query = ''] = path.split('?') as [string, string?];
  const names = operation!.split(' ')[1]!.split('/');
  const parts = target.split('/');
  const places = new Map<Place, unknown>();
  for (const [i, name] of names.entries())
    if (name.startsWith('{')) places.set(`path.${name.slice(1, -1)}`, decodeURIComponent(parts[i]!));
  for (const [name, value] of new URLSearchParams(query)) places.set(`query.${name}`, value);
  for (const [name, value] of Object.entries(body ?? {})) places.set(`body.${name}`, value);
  // The header and the query say the same (docs/live.md).
  if (headers['last-event-id'] !== undefined) places.set('query.last_event_id', headers['last-event-id']);
  if (headers['if-match'] !== undefined) places.set('ifMatch', headers['if-match']);
  return { operation: operation!, places };
}
