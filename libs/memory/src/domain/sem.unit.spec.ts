import { MaceError, type DomainEvent, type JsonObject } from '#lib/kernel';

import {
  decideDelete,
  decidePut,
  evolveSem,
  initialSem,
  type PlacedEvent,
  type PutDecision,
  type SemState,
} from './sem.js';

const KEY = 'user/profile/user_tuff/favorite_color';
const NOW = Date.parse('2026-01-01T00:00:00.000Z');

describe('a put', () => {
  it('is current where nothing was stored before', () => {
    expect(given().whenPut({ value: 'blue' }).data).toMatchObject({
      key: KEY,
      value: 'blue',
      source: 'user',
      applied: true,
    });
  });

  it('takes the server’s time where it names none', () => {
    expect(given().whenPut({ value: 'blue' }).data['timestamp']).toBe('2026-01-01T00:00:00.000Z');
  });

  it('is at least 1 ms later than the current value where it names no time', () => {
    const ahead = put('green', '2026-01-01T00:04:00.000Z');
    expect(given(ahead).whenPut({ value: 'blue' }).data).toMatchObject({
      timestamp: '2026-01-01T00:04:00.001Z',
      applied: true,
    });
  });

  it('keeps the timestamp as its caller wrote it', () => {
    expect(given().whenPut({ value: 1, timestamp: '2025-11-29T12:00:00Z' }).data['timestamp']).toBe(
      '2025-11-29T12:00:00Z',
    );
  });

  it('with an older timestamp is recorded and not applied', () => {
    const event = given(put('red', '2025-12-02T00:00:00Z')).whenPut({
      value: 'green',
      timestamp: '2025-12-01T00:00:00Z',
    });
    expect(event.data['applied']).toBe(false);
  });

  it.each([
    ['user', 'agent:math_v1', true],
    ['agent:math_v1', 'user', false],
    ['user', 'user', true],
    ['system', 'user', false],
    ['user', 'system', true],
  ])(
    'of %s at the very time of one of %s: the larger source wins, and among equals the later append',
    (mine, theirs, applied) => {
      const event = given(put('a', '2025-12-01T00:00:00Z', theirs)).whenPut({
        value: 'b',
        source: mine,
        timestamp: '2025-12-01T00:00:00.000Z',
      });
      expect(event.data['applied']).toBe(applied);
    },
  );

  it('may be five minutes ahead of the server and not a millisecond more', () => {
    expect(given().whenPut({ value: 1, timestamp: '2026-01-01T00:05:00.000Z' }).data['applied']).toBe(true);
    expect(codeOf(() => given().whenPut({ value: 1, timestamp: '2026-01-01T00:05:00.001Z' }))).toBe('INVALID_INPUT');
  });

  it.each([
    'yesterday',
    '2025-02-30T00:00:00Z',
    '2025-11-29T12:00:00',
    '2025-11-29T12:00:00+02:00',
    '2025-11-29T25:00:00Z',
    '1',
    '',
  ])('with the timestamp %j is refused', (timestamp) => {
    expect(codeOf(() => given().whenPut({ value: 1, timestamp }))).toBe('INVALID_INPUT');
  });

  it('carries the hash of its value', () => {
    // sha256 of the canonical text "blue" with its quotation marks
    expect(given().whenPut({ value: 'blue' }).data['value_hash']).toBe(
      '3aae004f448787fcf06c2d53933fff00a45fc5117c21e1070f967e37d43760ef',
    );
  });
});

describe('a delete', () => {
  it('is later than the current value, even one ahead of the clock', () => {
    const ahead = put('green', '2026-01-01T00:04:00.000Z');
    expect(given(ahead).whenDelete()?.data).toEqual({
      key: KEY,
      source: 'system',
      timestamp: '2026-01-01T00:04:00.001Z',
    });
  });

  it('leaves nothing current, and an older put stays without effect', () => {
    const state = [put('green', '2025-12-01T00:00:00Z'), del('2026-01-01T00:00:00.000Z')];
    expect(given(...state).state.current).toMatchObject({ deleted: true, timestamp: '2026-01-01T00:00:00.000Z' });
    expect(given(...state).whenPut({ value: 'red', timestamp: '2025-12-31T23:59:59Z' }).data['applied']).toBe(false);
    expect(given(...state).whenPut({ value: 'red' }).data).toMatchObject({
      applied: true,
      timestamp: '2026-01-01T00:00:00.001Z',
    });
  });

  it('of nothing, or of what was deleted already, decides nothing', () => {
    expect(given().whenDelete()).toBeUndefined();
    expect(given(put('green', '2025-12-01T00:00:00Z'), del('2025-12-02T00:00:00Z')).whenDelete()).toBeUndefined();
  });
});

describe('the state', () => {
  it('takes its value as stored from the newest applied write and ignores the others', () => {
    const enc = { $enc: { ct: 'x', kid: 'user_tuff.1', nonce: 'n' } };
    const { current } = given(put(enc, '2025-12-02T00:00:00Z'), {
      ...put('older', '2025-12-01T00:00:00Z'),
      applied: false,
    }).state;
    expect(current).toMatchObject({ value: enc, revision: 0, position: '1', event_id: 'id-0' });
  });
});

interface Given {
  readonly type: string;
  readonly data: JsonObject;
  readonly applied?: boolean;
}

function put(value: JsonObject | string, timestamp: string, source = 'user'): Given {
  return { type: 'SEM_PUT', data: { key: KEY, value, source, timestamp } };
}

function del(timestamp: string): Given {
  return { type: 'sem_delete', data: { key: KEY, source: 'system', timestamp } };
}

function given(...events: Given[]) {
  const state = events.reduce<SemState>((folded, event, i) => evolveSem(folded, placed(event, i)), initialSem);
  return {
    state,
    whenPut(decision: { value: string | number } & Partial<Omit<PutDecision, 'content'>>): DomainEvent {
      const { value, ...rest } = decision;
      return decidePut(state, { key: KEY, content: { value }, source: 'user', now: NOW, ...rest });
    },
    whenDelete: () => decideDelete(state, { key: KEY, source: 'system', now: NOW }),
  };
}

function placed({ type, data, applied = true }: Given, i: number): PlacedEvent {
  const metadata = { event_id: `id-${i}` } as PlacedEvent['metadata'];
  return {
    type,
    data: type === 'SEM_PUT' ? { ...data, applied } : data,
    metadata,
    revision: i,
    position: String(i + 1),
  };
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof MaceError) return error.code;
    throw error;
  }
  return 'nothing thrown';
}
