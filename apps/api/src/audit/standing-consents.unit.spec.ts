import type { EventLog, LoggedEvent } from '#lib/event-store';
import { IntegrityError } from '#lib/event-store';
import { JOB_EVENT_TYPES, jobStream } from '#lib/jobs';
import type { JsonObject } from '#lib/kernel';

import { DEFINITIONS, fixtureName, readFixture } from '../../../../test/support/event-fixtures.js';
import { standingConsents } from './standing-consents.js';

const END = Date.UTC(2026, 0, 1);
const JOB = 'job:1';

/** A log with one job, which one consent let through. */
const log = {
  load: (stream: string) => {
    if (stream === jobStream('job:tampered')) throw new IntegrityError(stream, 3, 'changed');
    const accepted = { type: 'JOB_ACCEPTED', data: { consent_ids: ['of-the-job'] } };
    return Promise.resolve({ events: stream === jobStream(JOB) ? [accepted] : [] });
  },
  codec: { reveal: (event: unknown) => Promise.resolve(event) },
} as unknown as EventLog;

const event = (stream: string, data: JsonObject, job_id?: string): LoggedEvent =>
  ({ stream, data, metadata: job_id === undefined ? {} : { job_id } }) as unknown as LoggedEvent;

/** What each standing was asked for, and whether it may be told once every consent has ended. */
async function standsWithout(told: LoggedEvent): Promise<boolean> {
  return standingConsents(log, { areInForce: () => Promise.resolve(false) })(told, 'user_tuff', END);
}

describe('what was stored under a consent', () => {
  it('may be told until the consent’s end, by the time of the request that asks and no other clock', async () => {
    const asked: unknown[] = [];
    const areInForce = (userId: string, ids: readonly string[], now: number): Promise<boolean> => {
      asked.push([userId, ids, now]);
      return Promise.resolve(now < END);
    };
    const standing = standingConsents(log, { areInForce });
    const put = event('sem-user/profile/user_tuff/phone', { consents: [{ consent_id: 'c1' }] });
    const at = (now: number): Promise<boolean> => standing(put, 'user_tuff', now);
    expect([await at(END - 1), await at(END)]).toEqual([true, false]);
    expect(asked).toEqual([
      ['user_tuff', ['c1'], END - 1],
      ['user_tuff', ['c1'], END],
    ]);
  });

  it('may not be told where the record of its job does not verify', async () => {
    const standing = standingConsents(log, { areInForce: () => Promise.resolve(true) });
    expect(await standing(event('replay-rp-1', { job_id: JOB }), 'user_tuff', END)).toBe(true);
    expect(await standing(event('replay-rp-1', { job_id: 'job:tampered' }), 'user_tuff', END)).toBe(false);
  });
});

/** Types whose personal fields quote no job, and why. */
const OF_NO_JOB: Readonly<Record<string, string>> = {
  ROUTE_DECIDED: 'a question about routing, outside any job',
  WM_INSERT: 'given to a BrainState by a person, screened',
  ACTION_REQUESTED: 'what a person or a direct write asks for, screened; a job’s own stands in its stream',
  ACTION_VOTE: 'the voter’s own words, screened',
  EMERGENCY_SIGNED: 'the signer’s own words, screened',
  VOTE_CAST: 'a critic’s own words on an artifact',
  LATE_VOTE: 'a critic’s own words on an artifact',
  HITL_RULED: 'the words of whoever rules on an artifact, screened',
  AGENT_REGISTERED: 'an agent’s own words on itself, screened',
  AGENT_DEREGISTERED: 'an agent’s own words, screened',
  APT_EVENT: 'the note of who judges a module, screened',
  PII_CONSENT: 'the words of the consent itself, refused where they hold a value',
  DSR_REQUEST: 'an admin’s reason, refused where it is personal',
  DSR_REFUSED: 'the reason of who refuses, refused where it is personal',
  OTP_ENROLLED: 'a secret that nobody is shown again',
};
/** Outside a job's stream; its metadata name the job that wrote it. */
const NAMED_IN_METADATA = ['SEM_PUT'];

describe('an event with something personal that can come from a job', () => {
  const personal = DEFINITIONS.filter((one) => (one.personal ?? []).length > 0);
  const ofJobs = (JOB_EVENT_TYPES as readonly string[]).filter((type) => personal.some((one) => one.type === type));
  const elsewhere = personal.filter(({ type }) => !ofJobs.includes(type) && !(type in OF_NO_JOB));

  it.each(ofJobs)('is told to nobody once a consent of the job has ended: %s in its stream', async (type) => {
    const { plain } = readFixture(fixtureName(type, 1));
    const { job_id: _, ...data } = plain;
    expect(await standsWithout(event(jobStream(JOB), data))).toBe(false);
  });

  it.each(elsewhere.map(({ type }) => type))('nor where it is in another stream: %s', async (type) => {
    const { plain } = readFixture(fixtureName(type, 1));
    const inMetadata = NAMED_IN_METADATA.includes(type);
    const data = { ...plain, ...(inMetadata ? { consents: [] } : { job_id: JOB }) };
    expect([type, inMetadata || 'job_id' in plain]).toEqual([type, true]);
    expect(await standsWithout(event('elsewhere', data, inMetadata ? JOB : undefined))).toBe(false);
  });

  it('is each of these, and no reason stands here for a type that has nothing personal', () => {
    expect(elsewhere.map(({ type }) => type).sort()).toEqual([
      'AMENDMENT_ADDED',
      'AUDIT_TAG_ADDED',
      'FEEDBACK_GIVEN',
      'GROUND_TRUTH_LABEL',
      'REPLAY_DIVERGENCE',
      'REPLAY_RESULT',
      'SEM_PUT',
    ]);
    const types = personal.map(({ type }) => type);
    expect(Object.keys(OF_NO_JOB).filter((type) => !types.includes(type))).toEqual([]);
  });
});
