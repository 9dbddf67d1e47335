import type { EventCodec } from '#lib/event-store';
import { canonicalize, GENESIS_HASH, type JsonObject, PERSONAL_MEMBER } from '#lib/kernel';

import {
  DEFINITIONS,
  type EventFixture,
  fixtureCodec,
  fixtureName,
  fixtureNames,
  makeFixture,
  readFixture,
  recordedOf,
  storedText,
  writeFixture,
} from '../support/event-fixtures.js';

/**
 * `WRITE_EVENT_FIXTURES=1` makes those that are missing of the current versions; none is ever made again. The fixture of
 * a version that was never released may be deleted first.
 */
const WRITE = 'run this spec with WRITE_EVENT_FIXTURES=1 to make what is missing';
const HOW = `raise the version, add an upcaster, and ${WRITE}`;

const VERSIONS = DEFINITIONS.flatMap(({ type, version }) =>
  Array.from({ length: version }, (_, i) => ({ type, version: i + 1, name: fixtureName(type, i + 1) })),
);

let codec: EventCodec;
beforeAll(async () => {
  codec = await fixtureCodec();
  if (process.env['WRITE_EVENT_FIXTURES'] === undefined) return;
  const there = fixtureNames();
  for (const definition of DEFINITIONS) {
    const name = fixtureName(definition.type, definition.version);
    if (!there.includes(name)) writeFixture(name, await makeFixture(codec, definition));
  }
});

it('every version of every event type has its fixture, and no fixture is left of none', () => {
  expect([WRITE, ...fixtureNames()]).toEqual([WRITE, ...VERSIONS.map(({ name }) => name).sort()]);
});

describe.each(VERSIONS)('$name', ({ type, version, name }) => {
  const definition = DEFINITIONS.find((one) => one.type === type)!;

  it('is stored as it was signed', () => {
    const fixture = readFixture(name);
    expect(() => codec.verify(recordedOf(type, fixture), GENESIS_HASH)).not.toThrow();
    expect((fixture.stored['metadata'] as { schema_version: number }).schema_version).toBe(version);
  });

  it('reads as it always did', async () => {
    const fixture = readFixture(name);
    const { data } = await codec.decodePlain(recordedOf(type, fixture));
    expect([HOW, canonicalize(data)]).toEqual([HOW, canonicalize(fixture.plain)]);
  });

  if (version !== definition.version) return;

  it('holds every field that its type declares, and no other', () => {
    const { plain, personal = [], personalTogether } = definition;
    const fixture = readFixture(name);
    const stored = personalTogether ? [PERSONAL_MEMBER] : personal;
    expect([HOW, Object.keys(fixture.stored.data).sort()]).toEqual([HOW, [...plain, ...stored].sort()]);
    expect([HOW, Object.keys(fixture.plain).sort()]).toEqual([HOW, [...plain, ...personal].sort()]);
  });

  it('would be stored in the same bytes today, but for what follows from the time of recording', async () => {
    const fixture = readFixture(name);
    const today = JSON.parse(await storedText(codec, type, fixture.plain)) as EventFixture['stored'];
    // Those of release 0.1 have no such time.
    expect(canonicalize(untimed(today))).toBe(canonicalize(untimed(fixture.stored)));
    const { recorded_at } = fixture.stored['metadata'] as JsonObject;
    if (recorded_at !== undefined) expect(canonicalize(today)).toBe(canonicalize(fixture.stored));
  });
});

function untimed(stored: EventFixture['stored']): JsonObject {
  const { recorded_at: _, signature: __, ...metadata } = stored['metadata'] as JsonObject;
  return { ...stored, metadata };
}
