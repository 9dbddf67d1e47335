import { type CouncilVote, Critics } from '#lib/council';
import type { ErrorCode } from '#lib/kernel';
import { type ExplainedJob } from '#lib/jobs';

import { sha256 } from '../../../../libs/event-store/src/testing/codec-support.js';
import {
  PRODUCED_INSIDE,
  PRODUCERS,
  type Producer,
  type Stage,
  stageOn,
} from '../../../../test/support/failure-producers.js';
import { type AnyBody, type Caller, JobApp } from '../../../../test/support/job-app.js';

const FOOD = 'user/profile/user_tuff/favorite_food';
const AT = '2025-11-29T12:00:00Z';

let stage: Stage;

beforeEach(async () => {
  stage = await stageOn(await JobApp.open(), 'explain');
});
afterEach(async () => {
  jest.restoreAllMocks();
  await stage.app.dispose();
});

describe('the page that explains a job', () => {
  it('leads from an answer of memory to the revision that was read', async () => {
    await stage.tuff.send('PUT', `/sem/${FOOD}`, { value: 'pizza', timestamp: AT });
    const { body } = await stage.tuff.ask('What is my favourite food?', { job_seed: 'explain-1' });
    const id = (index: number, type: string) => sha256(`explain-1:${index}:${type}`).slice(0, 12);
    expect(await page(body.job_id)).toEqual([
      `${body.job_id}: completed`,
      'Asked by user_tuff, <time>: What is my favourite food?',
      'Answer: Your favorite food is pizza. (confidence 1)',
      '',
      'How it came about, each step with the event that records it:',
      `  1. Taken as: profile, fact; depth 0  [${id(2, 'QCP_CLASSIFIED')}]`,
      `  2. Routed to profile_agent (profile_lookup)  [${id(3, 'ROUTER_DECISION')}]`,
      '       score 0.3027: profile_agent, degraded, trust 0.7, availability 0.42',
      `  3. profile_agent answered, confidence 1: Your favorite food is pizza.  [${id(5, 'AGENT_OUTPUT')}]`,
      `       reasoning: read ${FOOD} at revision 0`,
      `       read: ${FOOD}, revision 0, written <time>: pizza`,
      `  4. The critics approved the answer, 3 to 0: score 1, final confidence 1  [${id(9, 'COUNCIL_DECISION')}]`,
      '       yes  council_factuality_v1 (factuality 1, coherence 1, safety 1): every piece of evidence was read again and holds',
      '       yes  council_coherence_v1 (factuality 1, coherence 1, safety 1): well formed, without a plain contradiction, and it states what its evidence says',
      '       yes  council_safety_v1 (factuality 1, coherence 1, safety 1): no rule of the safety policy applies',
      ...SNAPSHOTS,
    ]);
  });

  it('has the tally as it was recorded, with quorum, weights and the threshold of the pinned policy', async () => {
    jest.spyOn(stage.app.parts.app.nest.get(Critics), 'collect').mockImplementation(() => ({
      votes: [vote('council_factuality_v1', true, ''), vote('council_coherence_v1', true, '')],
      unavailable: { council_safety_v1: 'not installed' },
      collection_timeout_reached: false,
    }));
    const { body } = await stage.tuff.ask('2+2');
    const { council } = (await stage.tuff.get<ExplainedJob>(`/jobs/${body.job_id}/explain`)).body;
    expect(council).toMatchObject([
      {
        council_score: 0.9,
        score_threshold: 0.6,
        tally: {
          approvals: 2,
          rejections: 0,
          votes_received: 2,
          votes_expected: 3,
          quorum_met: true,
          unavailable_critics: ['council_safety_v1'],
          weights: { council_factuality_v1: 1, council_coherence_v1: 1, council_safety_v1: 1 },
        },
      },
    ]);
  });

  it('tells of a repair, of what the critics asked for, and of a ruling since', async () => {
    const rounds = [
      [vote('council_factuality_v1', false, 'Say where it is from.'), vote('council_coherence_v1', false, '')],
      [vote('council_factuality_v1', true, ''), vote('council_coherence_v1', true, '')],
    ];
    jest.spyOn(stage.app.parts.app.nest.get(Critics), 'collect').mockImplementation(() => ({
      votes: rounds.shift()!,
      unavailable: { council_safety_v1: 'not installed' },
      collection_timeout_reached: false,
    }));
    const { body } = await stage.tuff.ask('2+2', { job_seed: 'explain-2' });
    const ruling = { effect: 'override_suggestion', changes: { final_answer: 'four' } };
    const ada = await stage.app.caller('ada', ['admin'], ['otp']);
    await ada.send('POST', `/reflective-logs/${body.log_id}/amendments`, ruling);
    const told = (await page(body.job_id)).map((line) =>
      line.replace(/\[(?:[0-9a-f]{12}|am-[0-9a-f]{32})\]/, '[<id>]'),
    );
    const yes = 'factuality 0.9, coherence 0.9, safety 0.9';
    expect(told).toEqual([
      `${body.job_id}: completed`,
      'Asked by user_tuff, <time>: 2+2',
      'Answer: 2 + 2 = 4. (confidence 0.95)',
      '',
      'How it came about, each step with the event that records it:',
      '  1. Taken as: math; depth 1  [<id>]',
      '  2. Routed to math_agent (math_detect)  [<id>]',
      '       score 0.3027: math_agent, degraded, trust 0.7, availability 0.42',
      '  3. math_agent answered, confidence 1: 2 + 2 = 4.  [<id>]',
      '       reasoning: Computed with exact fractions.',
      '  4. The critics rejected the answer, 0 to 2: score 0.9, final confidence 0.95  [<id>]',
      `       no   council_factuality_v1 (${yes}): a synthetic vote`,
      `       no   council_coherence_v1 (${yes}): a synthetic vote`,
      '       --   council_safety_v1: not installed',
      '  5. math_agent was asked to repair its answer  [<id>]',
      '       change: Say where it is from.',
      '  6. math_agent answered, confidence 1: 2 + 2 = 4.  [<id>]',
      '       reasoning: Computed with exact fractions.',
      '  7. The critics approved the answer, 2 to 0: score 0.9, final confidence 0.95  [<id>]',
      `       yes  council_factuality_v1 (${yes}): a synthetic vote`,
      `       yes  council_coherence_v1 (${yes}): a synthetic vote`,
      '       --   council_safety_v1: not installed',
      '',
      'Ruled on since, by admin, <time>  [<id>]',
      '  final_answer: four',
      ...SNAPSHOTS,
    ]);
  });

  const KINDS: readonly (readonly [string, Producer, readonly string[]])[] = [
    kind('SEM_NOT_FOUND', 'profile_agent found nothing in memory under user/profile/user_tuff/favorite_planet'),
    kind('ROUTER_NO_MATCH', 'generic_agent declined: ', 'Routed to nobody: no module serves it'),
    kind('AGENT_TIMEOUT', 'math_agent timed out: no answer within 1000 ms', 'left out: agent:math_v1, tried already'),
    kind('AGENT_ERROR', 'math_agent crashed: TypeError'),
    kind('LLM_SERVICE_DOWN', 'left out: agent:creative_v1, not callable', 'no language engine is configured'),
    kind('COUNCIL_DEADLOCK', 'The critics came to no majority on the answer, 1 to 1', 'People were asked to review it'),
    kind('REPAIR_LIMIT_EXCEEDED', 'knowledge_agent was asked to repair its answer', 'the critics refused 4 answers'),
    kind('PRIVACY_BLOCKED', 'Personal data was found (us_ssn); the question was not routed', '[redacted:us_ssn]'),
    ['LOW_CONFIDENCE', PRODUCED_INSIDE.LOW_CONFIDENCE!.of, ['On the way: LOW_CONFIDENCE, final confidence 0.35']],
  ];
  it.each(KINDS)('tells why a job ended as it did: %s', async (code, produce, told) => {
    const { body } = await (await produce(stage))({}, 1);
    const text = (await page(body.job_id ?? (body.meta['job_id'] as string))).join('\n');
    for (const part of [code, 'The person was told: ', ...told]) expect(text).toContain(part);
  });

  it('tells of a write under which key, value and revision it went, and of one that failed', async () => {
    const { body } = await stage.tuff.ask('Remember that my favorite food is pizza');
    expect((await page(body.job_id)).join('\n')).toContain(`Memory: ${FOOD} = pizza was written as revision 0`);
    await PRODUCERS.SEM_WRITE_FAIL!(stage);
    const failed = await stage.tuff.ask('Remember that my favorite color is blue');
    jest.restoreAllMocks();
    const text = (await page(failed.body.meta['job_id'] as string)).join('\n');
    expect(text).toContain('favorite_color = blue was not written: SEM_WRITE_FAIL after 2 attempts');
    expect(text).toContain('The write of user/profile/user_tuff/favorite_color was tried again');
  });

  it('shows those who audit how it was decided, and nothing that was said; others find nothing', async () => {
    await stage.tuff.send('PUT', `/sem/${FOOD}`, { value: 'pizza', timestamp: AT });
    const { body } = await stage.tuff.ask('What is my favorite food?');
    const path = `/jobs/${body.job_id}/explain`;
    const { status, body: seen } = await stage.auditor.get<ExplainedJob>(path);
    expect(status).toBe(200);
    expect(JSON.stringify(seen)).not.toMatch(/pizza|favorite_food|favorite food/);
    expect(seen.turns[0]).toMatchObject({ agent_id: 'profile_agent', text: '[redacted]' });
    expect(seen.turns[0]!.evidence).toMatchObject([{ key: '[redacted]', revision: 0, value: '[redacted]' }]);
    expect(seen.council[0]!.votes[0]).toMatchObject({ approve: true, note: '[redacted]' });
    expect((await stage.eve.get(path)).status).toBe(404);
  });

  it('lists events to those who audit with [redacted] and never as they are stored', async () => {
    await stage.tuff.send('PUT', `/sem/${FOOD}`, { value: 'pizza', timestamp: AT });
    const { body } = await stage.tuff.ask('What is my favorite food?');
    const path = `/jobs/${body.job_id}/events`;
    const { body: seen } = await stage.auditor.get<{ items: { type: string; data: AnyBody }[] }>(path);
    expect(JSON.stringify(seen)).not.toMatch(/\$enc|pizza|favorite food/);
    const asked = { personal: '[redacted]', user_id: 'user_tuff' };
    expect(seen.items[0]).toMatchObject({ type: 'JOB_ACCEPTED', data: asked });
    expect(seen.items.find(({ type }) => type === 'AGENT_OUTPUT')!.data).toMatchObject({ personal: '[redacted]' });
    const plain = await stage.auditor.get(`${path}?unredacted=true`);
    expect(JSON.stringify(plain.body)).toMatch(/pizza/);
  });
});

const SNAPSHOTS = [
  '',
  'Decided on these snapshots, as they were when the job began:',
  ...['brainstate', 'governance', 'privacy', 'router', 'safety', 'selfrep'].map(
    (name) => `  ${name.padEnd(10)}  <snapshot>`,
  ),
];

function kind(code: ErrorCode, ...told: readonly string[]): readonly [string, Producer, readonly string[]] {
  return [code, PRODUCERS[code]!, told];
}

/** The page, without what differs from run to run. */
async function page(jobId: AnyBody['job_id'], who: Caller = stage.tuff): Promise<readonly string[]> {
  const { status, body } = await who.get<ExplainedJob>(`/jobs/${jobId}/explain`);
  expect(status).toBe(200);
  return body.text.map((line) =>
    line.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>').replace(/ [0-9a-f]{64}$/, ' <snapshot>'),
  );
}

function vote(council_agent_id: string, approve: boolean, suggested_changes: string): CouncilVote {
  const scores = { factuality: 0.9, coherence: 0.9, safety: 0.9 };
  return { council_agent_id, scores, approve, suggested_changes, note: 'a synthetic vote', confidence: 1 };
}
