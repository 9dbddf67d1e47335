import type { Json } from './canonical-json.js';
import { envelopeFormFault, GENESIS_HASH } from './envelope.js';

const METADATA: Readonly<Record<string, Json>> = {
  $causationId: 'c',
  $correlationId: 't',
  actor: { id: 'user_tuff', role: 'user' },
  event_id: 'e',
  job_id: 'job:1',
  job_seed: 's',
  kid: 'k1',
  prev_hash: 'p',
  recorded_at: '2026-11-24T12:00:00.000Z',
  request_digest: 'd',
  schema_version: 1,
  sequence_index: 0,
  signature: 'x',
  timestamp_seeded: '2025-03-01T00:00:00.000Z',
  trace_id: 't',
};
const OPTIONAL = ['$causationId', 'job_id', 'recorded_at', 'request_digest'];
const ENVELOPE = { data: {}, metadata: METADATA, stream: 's', type: 'T' };

function without(name: string): object {
  return { ...ENVELOPE, metadata: Object.fromEntries(Object.entries(METADATA).filter(([key]) => key !== name)) };
}
function withMember(name: string, value: Json): object {
  return { ...ENVELOPE, metadata: { ...METADATA, [name]: value } };
}

test('the chain of a stream begins with 64 zeros', () => {
  expect(GENESIS_HASH).toBe('0000000000000000000000000000000000000000000000000000000000000000');
});

describe('the form of an event', () => {
  it('has all members of the envelope, four of them at will', () => {
    expect(envelopeFormFault(ENVELOPE)).toBeNull();
    for (const name of OPTIONAL) expect(envelopeFormFault(without(name))).toBeNull();
  });

  it.each(Object.keys(METADATA).filter((name) => !OPTIONAL.includes(name)))(
    'is not that of a text without %s',
    (name) => expect(envelopeFormFault(without(name))).toMatch(/lacks a member/),
  );

  it('knows no further member, in its metadata or beside it', () => {
    expect(envelopeFormFault({ ...ENVELOPE, a: 1 })).toMatch(/a member that no event has/);
    expect(envelopeFormFault(withMember('zzz', 1))).toMatch(/"zzz", which no event has/);
    expect(envelopeFormFault(withMember('constructor', 1))).toMatch(/"constructor", which no event has/);
  });

  it.each([
    ['schema_version', -1],
    ['schema_version', 0],
    ['schema_version', 1.5],
    ['schema_version', '1'],
    ['sequence_index', -1],
    ['sequence_index', null],
    ['actor', null],
    ['actor', { id: 'user_tuff' }],
    ['actor', { id: 'user_tuff', role: 'user', more: 1 }],
    ['actor', ['user_tuff', 'user']],
    ['kid', 7],
    ['recorded_at', '2026-11-24'],
    ['recorded_at', '2026-11-24T12:00:00.000+01:00'],
    ['recorded_at', '2026-99-24T12:00:00.000Z'],
    ['recorded_at', 1_795_521_600_000],
  ])('is not that of a text whose %s is %j', (name, value) => {
    expect(envelopeFormFault(withMember(name, value))).toBe(`its metadata holds a "${name}" of another form`);
  });

  it('is that of no list, and of no data that is a list', () => {
    expect(envelopeFormFault([])).toMatch(/no object/);
    expect(envelopeFormFault({ ...ENVELOPE, data: [] })).toBe('its data is no object');
    expect(envelopeFormFault({ ...ENVELOPE, metadata: 7 })).toBe('its metadata is no object');
  });
});
