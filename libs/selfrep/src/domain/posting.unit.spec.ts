import { MaceError, type JsonObject } from '#lib/kernel';

import { followedConstants, SELFREP_DEFAULTS } from './constants.js';
import { aptEventType, parsePosting } from './posting.js';
import { allows, completeSpec, mayWriteMemory, type ModuleRequest } from './registration.js';

const refused = expect.objectContaining({ code: 'INVALID_INPUT' }) as Error;

describe('what is posted about a module', () => {
  it.each<[string, JsonObject]>([
    ['COUNCIL_APPROVAL', {}],
    ['COUNCIL_APPROVAL', { approve: 'yes' }],
    ['COUNCIL_APPROVAL', { approve: true, score: 1 }],
    ['GROUND_TRUTH_LABEL', { correct: null }],
    ['MANUAL_OVERRIDE', { new_apt: 0.5 }],
    ['MANUAL_OVERRIDE', { new_apt: 1.1, reason: 'x' }],
    ['MANUAL_OVERRIDE', { new_apt: -0.1, reason: 'x' }],
    ['MANUAL_OVERRIDE', { new_apt: NaN, reason: 'x' }],
    ['MANUAL_OVERRIDE', { new_apt: Infinity, reason: 'x' }],
    ['MANUAL_OVERRIDE', { new_apt: 0.1234567891, reason: 'x' }],
    ['MANUAL_OVERRIDE', { new_apt: 0.5, reason: ' ' }],
    ['OPERATIONAL_NOTE', {}],
    ['OPERATIONAL_NOTE', { note: 'x'.repeat(4001) }],
    ['AGENT_TIMEOUT', { job_id: 'job:1' }],
    ['USER_FEEDBACK', { upvote: 1 }],
  ])('%s refuses %j', (type, payload) => {
    expect(() => parsePosting(aptEventType(type), payload)).toThrow(refused);
  });

  it('is of a type that exists', () => {
    expect(() => aptEventType('AGENT_LOVE')).toThrow(MaceError);
    expect(() => aptEventType('toString')).toThrow(refused);
  });

  it('keeps words apart from what counts', () => {
    expect(parsePosting('MANUAL_OVERRIDE', { new_apt: 0.25, reason: 'audit' })).toEqual({
      fields: { new_apt: 0.25 },
      note: 'audit',
    });
    expect(parsePosting('USER_FEEDBACK', { upvote: true, comment: 'nice' })).toEqual({
      fields: { upvote: true },
      note: 'nice',
    });
  });
});

describe('a registration', () => {
  const request: ModuleRequest = { node_id: 'agent:math_v2', type: 'agent', display_name: 'M', version: '2' };

  it.each<[string, Partial<ModuleRequest>]>([
    ['capitals', { node_id: 'agent:Math' }],
    ['no kind', { node_id: 'math_v2' }],
    ['a kind of its own', { node_id: 'robot:math' }],
    ['two kinds', { type: 'tool' }],
    ['no name', { display_name: ' ' }],
    ['an odd version', { version: '../1' }],
    ['a capability twice', { capabilities: ['math', 'math'] }],
    ['a capability with a space', { capabilities: ['do math'] }],
    ['65 capabilities', { capabilities: Array.from({ length: 65 }, (_, i) => `c${i}`) }],
    ['a dependency on no module', { dependencies: [{ to: 'x', required: true }] }],
    [
      'a dependency twice',
      {
        dependencies: [
          { to: 'tool:a', required: true },
          { to: 'tool:a', required: false },
        ],
      },
    ],
    ['an odd action', { policy: { allowed_actions: ['*'], forbidden_actions: [] } }],
  ])('with %s is refused', (_, change) => {
    expect(() => completeSpec({ ...request, ...change })).toThrow(refused);
  });

  it('may not write to memory unless its policy says so', () => {
    const may = (allowed_actions: string[], forbidden_actions: string[]) =>
      mayWriteMemory({ allowed_actions, forbidden_actions });
    expect(mayWriteMemory(completeSpec(request).policy)).toBe(false);
    expect([may([], []), may(['sem.write'], []), may(['compute'], []), may(['sem.write'], ['sem.write'])]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(allows({ allowed_actions: ['compute'], forbidden_actions: [] }, 'llm.generate')).toBe(false);
  });
});

describe('constants that are followed', () => {
  it('are those of now at each look; a copy stays as it was', () => {
    let now = SELFREP_DEFAULTS;
    const followed = followedConstants(() => now);
    const copy = { ...followed };
    expect(copy).toEqual(SELFREP_DEFAULTS);
    now = { ...SELFREP_DEFAULTS, decay: 0.5 };
    expect(followed.decay).toBe(0.5);
    expect(copy.decay).toBe(SELFREP_DEFAULTS.decay);
  });
});
