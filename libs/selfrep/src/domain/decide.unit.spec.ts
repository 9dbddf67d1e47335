import { MaceError } from '#lib/kernel';

import { approve, ModuleStory, one, reject, success, timeout } from '../testing/placed.js';
import { SELFREP_DEFAULTS as C } from './constants.js';
import {
  decideAnswering,
  decideCallTarget,
  decideCard,
  decideCardApproved,
  decideChange,
  decideFlag,
  decideOutcomes,
  decideQuarantine,
  decideRegister,
  decideRelease,
  decideRestore,
  decideViolation,
} from './decide.js';
import type { AptEvent } from './module.events.js';
import { Recomputation } from './recompute.js';
import type { Incoming } from './trust.js';
import { moduleView } from './view.js';

const DECISION = { request_id: 'ar-1', authority: 'council' as const, reason: 'it harms' };
const trusted = (): ModuleStory => ModuleStory.of({}, 0.7).outcomes(success(), approve());

function refusalOf(doing: () => unknown): MaceError {
  try {
    doing();
  } catch (error) {
    if (error instanceof MaceError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

describe('a module that registers', () => {
  it('has APT_INIT and is treated as degraded until two events speak of it', () => {
    const story = ModuleStory.of();
    expect(moduleView(story.known, null)).toMatchObject({
      node_id: 'agent:math_v1',
      agent_id: 'math_agent',
      status: 'degraded',
      status_reason: 'fewer than 2 trust events',
      apt: 0.5,
      metrics: { consecutive_failures: 0, total_calls: 0, last_failure_ts: null, trust_events: 0 },
      policy: { allowed_actions: [], forbidden_actions: ['sem.write'] },
      registration: { registered_by: 'system', registered_at: '2026-01-01T00:00:00.000Z' },
      dependency_unhealthy: false,
    });
    expect(story.outcomes(approve()).known.health).toMatchObject({ apt: 0.5995, status: 'degraded' });
    expect(story.outcomes(approve()).known.health).toMatchObject({ apt: 0.6989005, status: 'healthy' });
  });

  it('is registered once: registration and node_id never change', () => {
    const { known } = ModuleStory.of();
    const again = { spec: known, registered_by: 'eve', registered_at: '2026-02-01T00:00:00.000Z', unhealthy: [] };
    expect(refusalOf(() => decideRegister(known, again, C))).toMatchObject({
      code: 'IMMUTABLE_FIELD',
      developerMessage: 'ImmutableFieldError: Cannot modify registration of agent:math_v1.',
    });
    for (const field of ['node_id', 'registration']) {
      expect(refusalOf(() => decideChange(known, { [field]: 'x' }))).toMatchObject({
        code: 'IMMUTABLE_FIELD',
        developerMessage: `ImmutableFieldError: Cannot modify ${field} of agent:math_v1.`,
      });
    }
  });
});

describe('the status of a module', () => {
  it('goes healthy, degraded at the first failure, offline at the third, each time with an event that says so', () => {
    const story = trusted();
    expect(story.known.health.status).toBe('healthy');
    story.outcomes(timeout());
    expect(story.known.health).toMatchObject({ status: 'degraded', status_reason: 'the last call failed' });
    story.outcomes(timeout(), timeout());
    expect(story.known.health).toMatchObject({ status: 'offline', status_reason: '3 failures in a row' });
    expect(story.types).toEqual([
      'MODULE_REGISTERED',
      'APT_EVENT',
      'MODULE_STATUS_CHANGED',
      'APT_EVENT',
      'MODULE_STATUS_CHANGED',
      'APT_EVENT',
      'NODE_OFFLINE',
    ]);
  });

  it('is healthy again once a call succeeds and trust is there', () => {
    const story = ModuleStory.of({}, 1).outcomes(success(), approve(), timeout());
    expect(story.known.health).toMatchObject({ apt: 0.749, status: 'degraded' });
    expect(story.outcomes(success()).known.health.status).toBe('healthy');
  });

  it('is degraded below 0.6 and healthy at exactly 0.6', () => {
    const at = (new_apt: number) => trusted().outcomes(one('MANUAL_OVERRIDE', { new_apt })).known.health.status;
    expect([at(0.6), at(0.599999998)]).toEqual(['healthy', 'degraded']);
  });

  it('tells of what happened on the way, also inside one batch', () => {
    const story = trusted().outcomes(
      timeout(),
      timeout(),
      success(),
      approve(),
      approve(),
      approve(),
      approve(),
      reject(),
    );
    expect(story.types.slice(3)).toEqual([
      'APT_EVENT',
      'MODULE_STATUS_CHANGED',
      'APT_EVENT',
      'MODULE_STATUS_CHANGED',
      'APT_EVENT',
    ]);
    const outcomes = story.events.flatMap(({ type, data }) =>
      type === 'APT_EVENT' ? (data as unknown as AptEvent).outcomes : [],
    );
    for (const [i, outcome] of outcomes.slice(1).entries()) expect(outcome.apt_before).toBe(outcomes[i]!.apt_after);
  });

  it('keeps every run of outcomes in events of at most 256', () => {
    const many = Array.from({ length: 600 }, success);
    const events = decideOutcomes(trusted().known, many, { through: '77' }, C);
    const sizes = events.map(({ data }) => (data as unknown as AptEvent).outcomes.length);
    expect(sizes).toEqual([256, 256, 88]);
    expect(events.map(({ data }) => data['through'])).toEqual([undefined, undefined, '77']);
  });
});

describe('an offline module', () => {
  const offline = (): ModuleStory => trusted().outcomes(timeout(), timeout(), timeout());

  it('is restored to degraded, without failures, with at least APT_INIT, until the next trust event', () => {
    const story = offline();
    expect(story.known.health.apt).toBeLessThan(0.5);
    story.take(decideRestore(story.known, 'fixed', C));
    expect(story.known.health).toMatchObject({
      status: 'degraded',
      status_reason: 'restored by an admin',
      consecutive_failures: 0,
      apt: 0.5,
    });
    story.outcomes(one('OPERATIONAL_NOTE'));
    expect(story.known.health.status_reason).toBe('restored by an admin');
    story.outcomes(approve());
    expect(story.known.health).toMatchObject({ apt: 0.5995, status: 'degraded', status_reason: 'trust below 0.6' });
  });

  it('keeps a trust above APT_INIT', () => {
    const story = trusted();
    story.take(decideViolation(story.known, {}));
    const { apt } = story.known.health;
    expect(story.take(decideRestore(story.known, '', C)).known.health.apt).toBe(apt);
  });

  it('is the only one that can be restored', () => {
    expect(refusalOf(() => decideRestore(trusted().known, '', C))).toMatchObject({
      code: 'CONFLICT',
      developerMessage: expect.stringMatching(
        /^agent:math_v1 is healthy; .*the council raises that \(trust_override\)$/,
      ),
    });
    const story = offline();
    story.take(decideQuarantine(story.known, DECISION));
    expect(refusalOf(() => decideRestore(story.known, '', C)).developerMessage).toContain('the council releases it');
  });
});

describe('a policy violation', () => {
  it('takes the module offline at once and touches no number', () => {
    const story = trusted();
    const before = story.known.health;
    story.take(decideViolation(story.known, { action: 'sem.write', evidence_ref: 'ab' }));
    expect(story.types.slice(-2)).toEqual(['POLICY_VIOLATION', 'NODE_OFFLINE']);
    expect(story.known.health).toEqual({ ...before, status: 'offline', status_reason: 'policy violation' });
  });

  it('of a module that is down already is recorded and changes nothing', () => {
    const story = trusted().outcomes(timeout(), timeout(), timeout());
    expect(decideViolation(story.known, {}).map(({ type }) => type)).toEqual(['POLICY_VIOLATION']);
  });
});

describe('quarantine', () => {
  it('goes by way of offline, leads back to offline, and comes about once', () => {
    const story = trusted();
    story.take(decideQuarantine(story.known, DECISION));
    expect(story.types.slice(-2)).toEqual(['NODE_OFFLINE', 'MODULE_QUARANTINED']);
    expect(story.known.health.status).toBe('quarantined');
    expect(decideQuarantine(story.known, DECISION)).toEqual([]);
    story.take(decideRelease(story.known, DECISION));
    expect(story.known.health.status).toBe('offline');
    expect(decideRelease(story.known, DECISION)).toEqual([]);
  });

  it('comes about from offline alone: a degraded module is recorded as offline first, with where it came from', () => {
    const story = trusted().outcomes(timeout());
    expect(story.known.health.status).toBe('degraded');
    const events = decideQuarantine(story.known, DECISION);
    expect(events).toMatchObject([
      { type: 'NODE_OFFLINE', data: { from: 'degraded', reason: 'to be quarantined', health: { status: 'offline' } } },
      { type: 'MODULE_QUARANTINED', data: { from: 'offline', health: { status: 'quarantined' } } },
    ]);
    const down = trusted().outcomes(timeout(), timeout(), timeout());
    expect(decideQuarantine(down.known, DECISION)).toMatchObject([
      { type: 'MODULE_QUARANTINED', data: { from: 'offline' } },
    ]);
  });

  it('is never left by trust', () => {
    const story = trusted();
    story.take(decideQuarantine(story.known, DECISION)).outcomes(approve(), success(), approve());
    expect(story.known.health.status).toBe('quarantined');
  });
});

describe('flags and changes', () => {
  it('are recorded where they say something new', () => {
    const story = trusted();
    story.take(decideFlag(story.known, ['service:db']));
    expect(story.known).toMatchObject({ dependency_unhealthy: true, unhealthy: ['service:db'] });
    expect(decideFlag(story.known, ['service:db'])).toEqual([]);
    expect(story.take(decideFlag(story.known, [])).known.dependency_unhealthy).toBe(false);

    const policy = { allowed_actions: ['compute'], forbidden_actions: [] };
    story.take(decideChange(story.known, { policy }, 'ar-2'));
    expect(story.known.policy).toEqual(policy);
    expect(decideChange(story.known, { policy })).toEqual([]);
    expect(refusalOf(() => decideChange(story.known, { type: 'tool' } as object))).toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  it('leave status and trust as they are', () => {
    const story = trusted();
    const { health } = story.known;
    expect(story.take(decideFlag(story.known, ['service:db'])).known.health).toEqual(health);
  });
});

describe('how a module is called that answers elsewhere', () => {
  const endpoint = { kind: 'http', url: 'https://agents.example/a' } as const;
  const other = { kind: 'http', url: 'https://agents.example/b', public_key: 'B'.repeat(43) } as const;
  const elsewhere = (): ModuleStory => ModuleStory.of({ endpoint }, 0.7, 'ada');

  it('is what the council said last, since the revision of that event', () => {
    const story = elsewhere();
    expect(moduleView(story.known, null)).toMatchObject({ endpoint, prompt: null, endpoint_revision: 0 });
    story.outcomes(success()).take(decideCallTarget(story.known, { endpoint: other }, 'ar-2'));
    expect(story.events.at(-1)).toMatchObject({
      type: 'MODULE_CHANGED',
      data: { endpoint: other, request_id: 'ar-2' },
    });
    expect(moduleView(story.known, null)).toMatchObject({ endpoint: other, endpoint_revision: 2 });
    story.take(decideCallTarget(story.known, { prompt: { system: 'Be brief.' } }, 'ar-3'));
    expect(moduleView(story.known, null)).toMatchObject({
      endpoint: null,
      prompt: { system: 'Be brief.' },
      endpoint_revision: 3,
    });
    story.take(decideChange(story.known, { version: '2.0.0' }));
    expect(story.known.endpoint_revision).toBe(3);
  });

  it.each<[string, object, string]>([
    ['CONFLICT', { endpoint }, 'agent:math_v1 is called so already'],
    ['INVALID_INPUT', {}, 'endpoint: one of endpoint and prompt'],
    ['INVALID_INPUT', { endpoint: other, prompt: { system: 'a' } }, 'endpoint: one of endpoint and prompt, not both'],
    // A text of another length, and points of the orders 4, 1 and 2, the last with the sign of x.
    ...['short', 'A'.repeat(43), `AQ${'A'.repeat(41)}`, `7P${'_'.repeat(40)}8`].map(
      (public_key): [string, object, string] => [
        'INVALID_INPUT',
        { endpoint: { ...other, public_key } },
        'endpoint.public_key: an Ed25519 key that somebody holds, 32 bytes in base64url without padding',
      ],
    ),
    ['INVALID_INPUT', { endpoint: { ...other, more: 1 } }, 'endpoint: only kind, url, secret_ref, public_key, card'],
    ['INVALID_INPUT', { prompt: { system: ' ' } }, 'prompt.system: a text of 1 to 8000 characters'],
    ['INVALID_INPUT', { prompt: { system: 'a', max_tokens: 0 } }, 'prompt.max_tokens: a whole number from 1 to 32768'],
  ])('is refused: %s %j', (code, target, developerMessage) => {
    const { known } = elsewhere();
    expect(refusalOf(() => decideCallTarget(known, target, 'ar-2'))).toMatchObject({ code, developerMessage });
  });

  it('is nobody’s affair where the module is part of the system', () => {
    const { known } = ModuleStory.of();
    expect(refusalOf(() => decideCallTarget(known, { endpoint }, 'ar-2'))).toMatchObject({
      code: 'CONFLICT',
      developerMessage: 'agent:math_v1 is part of the system, which calls it itself',
    });
  });

  it('brings it back degraded as it answers, trusted as who begins, where failures alone took it offline', () => {
    const story = elsewhere().outcomes(timeout(), timeout(), timeout());
    story.take(decideAnswering(story.known, C));
    expect(story.types.at(-1)).toBe('MODULE_RECOVERED');
    expect(story.known.health).toMatchObject({
      status: 'degraded',
      status_reason: 'its endpoint answers',
      consecutive_failures: 0,
      apt: 0.5,
    });
    const recomputation = new Recomputation([C]);
    for (const event of story.events) recomputation.take(event);
    expect(recomputation.result).toMatchObject({ equal: true, apt: 0.5 });
    expect(decideAnswering(story.known, C)).toEqual([]);
  });

  it('brings it back with its trust as it is after three times without an answer in between, until an admin restores it', () => {
    const story = elsewhere();
    const again = (): number => {
      story.outcomes(timeout(), timeout(), timeout());
      return story.take(decideAnswering(story.known, C)).known.health.apt;
    };
    expect([again(), again(), again()]).toEqual([0.5, 0.5, 0.5]);
    story.outcomes(success());
    expect([again(), again(), again(), again()]).toEqual([0.5, 0.5, 0.5, 0]);
    story.outcomes(timeout(), timeout(), timeout());
    story.take(decideRestore(story.known, 'mended', C));
    expect(again()).toBe(0.5);
  });

  it.each<[string, readonly Incoming[]]>([
    ['fail', Array.from({ length: 57 }, timeout)],
    ['succeed', [success(), approve()]],
    ['lack their language engine', [one('LLM_SERVICE_DOWN')]],
  ])('brings it back as it answers, whatever the turns that were under way as it went offline: they %s', (_, late) => {
    const story = elsewhere()
      .outcomes(timeout(), timeout(), timeout())
      .outcomes(...late);
    expect(story.known.health.status).toBe('offline');
    story.take(decideAnswering(story.known, C));
    expect(story.known.health).toMatchObject({ status: 'degraded', consecutive_failures: 0 });
  });

  it('leaves it offline after a violation, also one that came once it was offline, and what is no endpoint’s', () => {
    const violated = elsewhere();
    violated.take(decideViolation(violated.known, {}));
    const later = elsewhere().outcomes(timeout(), timeout(), timeout());
    later.take(decideViolation(later.known, {}));
    later.outcomes(timeout());
    const own = ModuleStory.of().outcomes(timeout(), timeout(), timeout());
    expect([violated, later, own].map(({ known }) => known.health.status)).toEqual(['offline', 'offline', 'offline']);
    expect([violated, later, own].flatMap(({ known }) => decideAnswering(known, C))).toEqual([]);
  });

  it('stays degraded while its card is another than was approved, whatever its turns say, until that is approved', () => {
    const card = { sha256: 'a'.repeat(64), version: '1', url: 'https://agents.example/rpc' };
    const other = { ...card, sha256: 'b'.repeat(64) };
    const a2a = { kind: 'a2a', url: 'https://agents.example/' } as const;
    const story = ModuleStory.of({ endpoint: { ...a2a, card } }, 0.9, 'ada');
    story.outcomes(success(), success(), success(), success());
    expect(story.known.health.status).toBe('healthy');
    expect(decideCard(story.known, card.sha256, C)).toEqual([]);
    story.take(decideCard(story.known, other.sha256, C));
    expect(decideCard(story.known, other.sha256, C)).toEqual([]);
    story.outcomes(success());
    expect(story.known.health).toMatchObject({
      status: 'degraded',
      status_reason: 'its agent card is another than was approved',
    });
    const { known } = story;
    story.take(decideCallTarget(known, { endpoint: { ...a2a, card: other } }, 'ar-2'));
    story.take(decideCardApproved(known, C));
    expect(story.known.health).not.toHaveProperty('card_changed');
    expect(story.known.health.status).toBe('healthy');
  });
});
