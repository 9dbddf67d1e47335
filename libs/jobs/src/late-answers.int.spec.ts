import { fixtureKeyRing } from '#lib/access';
import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers } from '#lib/event-store';
import { EventRegistry, sha256Hex } from '#lib/kernel';

import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { type LateAnswer, lateAnswerEvents } from './domain/late-answers.events.js';
import { LateAnswers } from './late-answers.js';

const LATE: LateAnswer = {
  job_id: 'job:1',
  agent_id: 'math_agent',
  node_id: 'agent:math_v1',
  iteration: 1,
  attempt: 1,
  retry: 0,
  late_by_ms: 12,
};

function recorder() {
  const store = new MemoryEventStore();
  const ring = fixtureKeyRing();
  const codec = new EventCodec(
    new EventRegistry(lateAnswerEvents),
    ring,
    new SubjectCiphers(new MemorySubjectKeys(), ring),
  );
  const log = new EventLog(store, codec);
  const faults: unknown[] = [];
  const answers = new LateAnswers(log, (error) => faults.push(error));
  const stored = async () => (await log.load('system-agents')).events;
  return { store, faults, answers, stored };
}

describe('late answers', () => {
  it('stand one after another in a stream of their own, each under the id of its turn', async () => {
    const { answers, stored, faults } = recorder();
    answers.record(LATE);
    answers.record({ ...LATE, retry: 1, late_by_ms: 5 });
    answers.record({ ...LATE, job_id: 'job:2' });
    await answers.close();
    expect((await stored()).map(({ data }) => data)).toEqual([
      LATE,
      { ...LATE, retry: 1, late_by_ms: 5 },
      { ...LATE, job_id: 'job:2' },
    ]);
    const [first] = await stored();
    expect(first!.metadata).toMatchObject({
      event_id: sha256Hex('system:agents:job:1:1:1:0:0:AGENT_LATE_ANSWER'),
      job_id: 'job:1',
    });
    expect(faults).toEqual([]);
  });

  it('of the same turn are one', async () => {
    const { answers, stored, faults } = recorder();
    answers.record(LATE);
    answers.record({ ...LATE, late_by_ms: 99 });
    await answers.close();
    expect((await stored()).map(({ data }) => data)).toEqual([LATE]);
    expect(faults).toEqual([]);
  });

  it('are not recorded any more once it is closed', async () => {
    const { answers, stored } = recorder();
    await answers.close();
    answers.record(LATE);
    await answers.close();
    expect(await stored()).toEqual([]);
  });

  it('that cannot be stored are told of, and keep none of the later ones back', async () => {
    const { store, answers, stored, faults } = recorder();
    jest.spyOn(store, 'append').mockRejectedValueOnce(new Error('no disk'));
    answers.record(LATE);
    answers.record({ ...LATE, job_id: 'job:2' });
    await answers.close();
    expect((await stored()).map(({ data }) => data['job_id'])).toEqual(['job:2']);
    expect(faults).toHaveLength(1);
  });
});
