import { errorEnvelope, type ErrorCode } from '#lib/kernel';

import type { IdentifiedEvent } from './reflective-log.js';
import { offeredFor, rulingChanges } from './review.js';

const told = (code: ErrorCode) => errorEnvelope(code, 'x', { query_id: 'q', timestamp: 't', trace_id: 'tr' });

describe('a review', () => {
  it.each<[string, ErrorCode | null, ErrorCode[], ErrorCode | null]>([
    ['refused answers', 'REPAIR_LIMIT_EXCEEDED', [], 'REPAIR_LIMIT_EXCEEDED'],
    ['a deadlock after a timeout', 'AGENT_TIMEOUT', ['COUNCIL_DEADLOCK'], 'COUNCIL_DEADLOCK'],
    ['an unsure answer', null, ['LOW_CONFIDENCE'], 'LOW_CONFIDENCE'],
    ['a miss', 'SEM_NOT_FOUND', [], null],
    ['a sound answer after a timeout', null, ['AGENT_TIMEOUT'], null],
  ])('is offered after what the person was told: %s', (_, error, notices, offered) => {
    const result = { ...(error ? { error: told(error) } : {}), notices: notices.map(told) };
    expect(offeredFor(result)).toBe(offered);
  });
});

describe('an approval', () => {
  const ruling = { job_id: 'job:1', request_id: 'ar-1', author_role: 'council', decided_at: 't' } as const;
  const output = (event_id: string, agent_id: string, text: string, more = {}): IdentifiedEvent => ({
    event_id,
    type: 'AGENT_OUTPUT',
    data: { outcome: 'answer', agent_id, text, ...more },
  });
  const log = (status: string, final_answer: string | null): IdentifiedEvent => ({
    event_id: 'log',
    type: 'REFLECTIVE_LOG_WRITTEN',
    data: { status, final_answer, agent_id: 'a' },
  });
  const changes = (...events: IdentifiedEvent[]) => rulingChanges({ ...ruling, ruling: 'approved' }, events);

  it('lets the answer stand that was given, whoever spoke last', () => {
    expect(changes(output('1', 'a', 'given'), output('2', 'b', 'later'), log('completed', 'given'))).toEqual({
      ruling: 'approved',
      request_id: 'ar-1',
      candidate_event_id: '1',
      final_answer: 'given',
    });
  });

  it('lets the last answer stand where none was given', () => {
    expect(changes(output('1', 'a', 'first'), output('2', 'a', 'last'), log('failed', null))).toMatchObject({
      candidate_event_id: '2',
      final_answer: 'last',
    });
  });

  it('of an answer that was not kept has the one that was given, and nothing where none was', () => {
    const unkept = output('1', 'a', '', { output_hash: 'h' });
    expect(changes(unkept, log('completed', 'given'))).toMatchObject({ final_answer: 'given' });
    expect(changes(unkept, log('failed', null))).toEqual({
      ruling: 'approved',
      request_id: 'ar-1',
      candidate_event_id: '1',
    });
  });

  it('of a job in which nobody answered, and a rejection, have no answer', () => {
    expect(changes(log('failed', null))).toEqual({ ruling: 'approved', request_id: 'ar-1' });
    const events = [output('1', 'a', 'x'), log('failed', null)];
    expect(rulingChanges({ ...ruling, ruling: 'rejected' }, events)).toEqual({
      ruling: 'rejected',
      request_id: 'ar-1',
    });
  });
});
