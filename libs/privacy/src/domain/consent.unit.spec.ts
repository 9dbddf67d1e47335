import { eventId, type DomainEvent, type EventMetadata, MaceError, sha256Hex } from '#lib/kernel';

import {
  areInForce,
  consentOf,
  consentsOf,
  type ConsentRequest,
  type ConsentState,
  coveringConsent,
  decideGrant,
  decideRevoke,
  decideUse,
  evolveConsents,
  noConsents,
  statusOf,
} from './consent.js';

const NOON = Date.UTC(2026, 0, 1, 12);
const DAY = 86_400_000;
const USER = 'user_tuff';
const FOR_JOB: ConsentRequest = { pii_type: 'phone', scope: 'job', consent_text: 'yes', job_seed: 'demo-1' };
const FOR_WRITE: ConsentRequest = { pii_type: 'phone', scope: 'job', consent_text: 'yes', idempotency_key: 'k-1' };
const FOR_LONG: ConsentRequest = { pii_type: 'phone', scope: 'persistent', consent_text: 'yes' };

describe('a grant', () => {
  it('names its consent by user, job_seed and text', () => {
    expect(consentOf(FOR_JOB, USER, 'cmd:1', NOON).consent_id).toBe(sha256Hex('user_tuffdemo-1yes'));
  });

  it('takes the seed of its own command where it names no job_seed', () => {
    expect(consentOf(FOR_WRITE, USER, 'cmd:1', NOON).consent_id).toBe(sha256Hex('user_tuffcmd:1yes'));
    expect(consentOf(FOR_LONG, USER, 'cmd:1', NOON).consent_id).toBe(sha256Hex('user_tuffcmd:1yes'));
  });

  it('records PII_CONSENT, of a persistent one with 30 days from then', () => {
    expect(given().grant(FOR_LONG)).toEqual([
      {
        type: 'PII_CONSENT',
        data: {
          consent_id: sha256Hex('user_tuffcmd:1yes'),
          user_id: USER,
          pii_type: 'phone',
          scope: 'persistent',
          consent_text: 'yes',
          granted_at: '2026-01-01T12:00:00.000Z',
          ttl_seconds: 2_592_000,
          expires_at: '2026-01-31T12:00:00.000Z',
        },
      },
    ]);
  });

  it('gives one for a job no end of its own', () => {
    expect(given().grant(FOR_JOB)[0]!.data).toEqual({
      consent_id: sha256Hex('user_tuffdemo-1yes'),
      user_id: USER,
      pii_type: 'phone',
      scope: 'job',
      consent_text: 'yes',
      job_seed: 'demo-1',
      granted_at: '2026-01-01T12:00:00.000Z',
    });
  });

  it.each<[string, Partial<ConsentRequest>]>([
    ['a job with neither seed nor key', { scope: 'job' }],
    ['a job with both', { scope: 'job', job_seed: 'demo-1', idempotency_key: 'k-1' }],
    ['a job with a TTL', { scope: 'job', job_seed: 'demo-1', ttl_seconds: 60 }],
    ['a persistent one with an idempotency_key', { scope: 'persistent', idempotency_key: 'k-1' }],
    ['a TTL of nothing', { scope: 'persistent', ttl_seconds: 0 }],
    ['a TTL of more than a year', { scope: 'persistent', ttl_seconds: 31_536_001 }],
    ['a TTL of half a second', { scope: 'persistent', ttl_seconds: 0.5 }],
  ])('refuses %s', (_, wrong) => {
    const grant = (): unknown =>
      consentOf({ pii_type: 'phone', consent_text: 'yes', ...wrong } as never, USER, 'c', NOON);
    expect(codeOf(grant)).toBe('INVALID_INPUT');
  });

  it.each([1, 31_536_000])('takes a TTL of %d seconds', (ttl_seconds) => {
    const { expires_at } = consentOf({ ...FOR_LONG, ttl_seconds }, USER, 'c', NOON);
    expect(expires_at).toBe(new Date(NOON + ttl_seconds * 1000).toISOString());
  });

  it('that stands already is no second one, whenever it comes again', () => {
    expect(given(FOR_LONG).grant(FOR_LONG, NOON + DAY)).toEqual([]);
  });

  it.each<[string, ConsentRequest]>([
    ['type', { ...FOR_LONG, pii_type: 'email' }],
    ['TTL', { ...FOR_LONG, ttl_seconds: 60 }],
  ])('is a conflict where its id stands for another %s', (_, other) => {
    expect(codeOf(() => given(FOR_LONG).grant(other))).toBe('CONFLICT');
  });

  it('is a conflict after its revocation, and after its end', () => {
    const revoked = given(FOR_LONG).revoked();
    expect(codeOf(() => revoked.grant(FOR_LONG))).toBe('CONFLICT');
    expect(codeOf(() => given(FOR_LONG).grant(FOR_LONG, NOON + 30 * DAY))).toBe('CONFLICT');
  });
});

describe('a revocation', () => {
  it('records PII_CONSENT_REVOKE once', () => {
    const { state, id } = given(FOR_LONG);
    const [event, ...more] = decideRevoke(state, id, NOON + 5);
    expect(event).toEqual({
      type: 'PII_CONSENT_REVOKE',
      data: { consent_id: id, user_id: USER, pii_type: 'phone', revoked_at: '2026-01-01T12:00:00.005Z' },
    });
    expect(more).toEqual([]);
    expect(decideRevoke(evolve(state, event!), id, NOON + 9)).toEqual([]);
  });

  it('of what is not there, or is another’s, is not found', () => {
    expect(codeOf(() => decideRevoke(noConsents, 'f'.repeat(64), NOON))).toBe('NOT_FOUND');
  });
});

describe('a consent', () => {
  const use = { piiType: 'phone', seed: 'demo-1', now: NOON + 1 };

  it('for a job covers that job alone', () => {
    const { state, id } = given(FOR_JOB);
    expect(coveringConsent(consentsOf(state), use)?.consent_id).toBe(id);
    expect(coveringConsent(consentsOf(state), { ...use, seed: 'demo-2' })).toBeUndefined();
  });

  it('for a direct write covers the write that carries its key', () => {
    const { state, id } = given(FOR_WRITE);
    expect(coveringConsent(consentsOf(state), { ...use, carries: (key) => key === 'k-1' })?.consent_id).toBe(id);
    expect(coveringConsent(consentsOf(state), { ...use, carries: (key) => key === 'k-2' })).toBeUndefined();
    expect(coveringConsent(consentsOf(state), { ...use, seed: 'k-1' })).toBeUndefined();
  });

  it('for a direct write is that write’s from its first use on, and covers no other that carries the key', () => {
    const { state, id } = given(FOR_WRITE);
    const carries = () => true;
    const [used, ...more] = claims(decideUse(state, id, use.seed, use.now));
    expect([used, ...more]).toEqual([
      {
        type: 'PII_CONSENT_USE',
        data: { consent_id: id, user_id: USER, pii_type: 'phone', write_seed: 'demo-1' },
      },
    ]);
    const after = evolve(state, used!);
    expect(coveringConsent(consentsOf(after), { ...use, carries })?.consent_id).toBe(id);
    expect(coveringConsent(consentsOf(after), { ...use, seed: 'demo-2', carries })).toBeUndefined();
    expect(decideUse(after, id, use.seed, use.now)).toEqual([]);
    expect(decideUse(after, id, 'demo-2', use.now)).toBeNull();
    expect(areInForce(after, [id], use.now)).toBe(true);
  });

  it('for a job, or for long, is used up by nothing', () => {
    for (const request of [FOR_JOB, FOR_LONG]) {
      const { state, id } = given(request);
      expect(decideUse(state, id, 'demo-1', use.now)).toEqual([]);
    }
  });

  it('that has ended since it was found is used by nobody', () => {
    const { state, id } = given(FOR_WRITE).revoked();
    expect(decideUse(state, id, use.seed, use.now)).toBeNull();
    expect(decideUse(noConsents, id, use.seed, use.now)).toBeNull();
  });

  it('that is persistent covers everything of its type until the very end of its time', () => {
    const { state } = given({ ...FOR_LONG, ttl_seconds: 60 });
    expect(coveringConsent(consentsOf(state), { ...use, now: NOON + 59_999 })).toBeDefined();
    expect(coveringConsent(consentsOf(state), { ...use, now: NOON + 60_000 })).toBeUndefined();
    expect(statusOf(consentsOf(state)[0]!, NOON + 60_000)).toBe('expired');
  });

  it('covers no other type, and nothing once it is revoked', () => {
    const { state } = given(FOR_LONG);
    expect(coveringConsent(consentsOf(state), { ...use, piiType: 'us_ssn' })).toBeUndefined();
    expect(coveringConsent(consentsOf(given(FOR_LONG).revoked().state), use)).toBeUndefined();
  });

  it('is taken before one that ends earlier', () => {
    const short = given({ ...FOR_LONG, consent_text: 'a minute', ttl_seconds: 60 }).state;
    const [long] = decideGrant(short, consentOf(FOR_LONG, USER, 'cmd:1', NOON), NOON);
    expect(coveringConsent(consentsOf(evolve(short, long!)), use)?.consent_text).toBe('yes');
  });

  it('is in force together with the others or not at all', () => {
    const { state, id } = given(FOR_LONG);
    expect(areInForce(state, [id], NOON)).toBe(true);
    expect(areInForce(state, [id, 'f'.repeat(64)], NOON)).toBe(false);
    expect(areInForce(state, [], NOON)).toBe(true);
  });
});

describe('many consents of one person', () => {
  it('do not copy one another at each grant and each revocation', () => {
    let copied = 0;
    const counted = jest.spyOn(Map.prototype, Symbol.iterator).mockImplementation(function (
      this: Map<unknown, unknown>,
    ) {
      copied += this.size;
      return this.entries();
    } as () => MapIterator<[unknown, unknown]>);
    const total = 5000;
    const of = (i: number) => ({ consent_id: `c${i}`, user_id: USER, pii_type: 'phone' });
    const metadata = { event_id: 'e' } as EventMetadata;
    let state = noConsents;
    for (let i = 0; i < total; i++) state = evolveConsents(state, { type: 'PII_CONSENT', data: of(i), metadata });
    for (let i = 0; i < total; i++) {
      const data = { ...of(i), revoked_at: '2026-01-02T12:00:00.000Z' };
      state = evolveConsents(state, { type: 'PII_CONSENT_REVOKE', data, metadata });
    }
    counted.mockRestore();
    expect(copied).toBeGreaterThan(2 * total);
    expect(copied).toBeLessThan(2 * total * 30);
    expect(consentsOf(state).map(({ consent_id }) => consent_id)).toEqual(
      Array.from({ length: total }, (_, i) => `c${i}`),
    );
    expect(consentsOf(state).every(({ revoked_at }) => revoked_at !== null)).toBe(true);
  });
});

function given(...requests: readonly ConsentRequest[]) {
  let state: ConsentState = noConsents;
  for (const request of requests) {
    for (const event of decideGrant(state, consentOf(request, USER, 'cmd:1', NOON), NOON)) state = evolve(state, event);
  }
  return scene(state);
}

function scene(state: ConsentState) {
  const id = consentsOf(state)[0]?.consent_id ?? '';
  return {
    state,
    id,
    grant: (request: ConsentRequest, now = NOON) => decideGrant(state, consentOf(request, USER, 'cmd:1', now), now),
    revoked: () => scene(decideRevoke(state, id, NOON).reduce(evolve, state)),
  };
}

function evolve(state: ConsentState, event: DomainEvent): ConsentState {
  const metadata = { event_id: eventId('seed', consentsOf(state).length, event.type) } as EventMetadata;
  return evolveConsents(state, { ...event, metadata });
}

function claims(decided: readonly DomainEvent[] | null): readonly DomainEvent[] {
  if (!decided) throw new Error('it was refused');
  return decided;
}

function codeOf(doing: () => unknown): string {
  try {
    doing();
  } catch (error) {
    if (error instanceof MaceError) return error.code;
    throw error;
  }
  return 'done';
}
