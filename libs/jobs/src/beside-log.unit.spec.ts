import { fixtureKeyRing } from '#lib/access';
import { EventCodec, EventLog, SubjectCiphers } from '#lib/event-store';
import { type DomainEvent, EventRegistry, type Provenance } from '#lib/kernel';

import { MemoryEventStore } from '../../event-store/src/memory/memory-event-store.js';
import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { BesideLog, MAX_BESIDE, MAX_REVALIDATIONS } from './beside-log.js';
import { amendmentEvents, amendmentStream, type AuthorRole } from './domain/amendments.events.js';

const LOG_ID = 'a'.repeat(64);

function amendment(nth: number, author_role: AuthorRole, effect = 'note'): DomainEvent {
  const about = { target_log_id: LOG_ID, job_id: 'j', created_at: '2026-01-05T10:00:00.000Z', user_id: 'user_ann' };
  const said = { author: 'user_ann', author_role, effect, changes: { said: nth } };
  return { type: 'AMENDMENT_ADDED', data: { ...about, ...said, amendment_id: `am-${nth}` } };
}

function asked(seed: string): Provenance {
  return { jobSeed: seed, sequenceIndex: 0, actor: { id: 'user_ann', role: 'user' }, traceId: 'f'.repeat(32) };
}

/** A log of which its owner has said much, with a ruling of an admin in between. */
async function flooded(events: number) {
  const ring = fixtureKeyRing();
  const ciphers = new SubjectCiphers(new MemorySubjectKeys(), ring);
  const codec = new EventCodec(new EventRegistry(amendmentEvents), ring, ciphers);
  const log = new EventLog(new MemoryEventStore(), codec);
  const all = Array.from({ length: events }, (_, i) =>
    i === 7 ? amendment(i, 'admin', 'override_suggestion') : amendment(i, 'owner', 'override_suggestion'),
  );
  for (let first = 0; first < events; first += 500)
    await log.execute({
      stream: amendmentStream(LOG_ID),
      fold: { name: 'none', initial: null, evolve: () => null },
      provenance: asked(`flood-${first}`),
      decide: () => all.slice(first, first + 500),
    });
  return { codec, beside: new BesideLog(log, (value) => ({ value, findings: [] })) };
}

it('beside a log that is full its owner puts nothing more, and whoever rules on it still does', async () => {
  const { beside } = await flooded(MAX_BESIDE - 1);
  const last = () => beside.appendOwn(LOG_ID, asked('last'), () => [amendment(5000, 'owner')]);
  const { metadata } = await last();
  await expect(beside.appendOwn(LOG_ID, asked('more'), () => [amendment(5001, 'owner')])).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  // The request that came in time is answered again.
  expect((await last()).metadata.event_id).toBe(metadata.event_id);
  await beside.appendOnce(LOG_ID, asked('ruling'), () => [amendment(5002, 'council', 'override_suggestion')]);
  expect((await beside.of(LOG_ID)).count).toBe(MAX_BESIDE + 1);
});

it('beside one log its owner asks for ten replays of its job, and still notes something', async () => {
  const { beside } = await flooded(1);
  const revalidate = (nth: number) =>
    beside.appendOwn(LOG_ID, asked(`again-${nth}`), () => [amendment(nth, 'owner', 'revalidate')]);
  for (let nth = 0; nth < MAX_REVALIDATIONS; nth++) await revalidate(nth);
  await expect(revalidate(MAX_REVALIDATIONS)).rejects.toMatchObject({
    code: 'CONFLICT',
    developerMessage: 'effect revalidate: at most 10 times beside one log',
  });
  await beside.appendOwn(LOG_ID, asked('note'), () => [amendment(99, 'owner')]);
});

it('of all that stands beside a log only the ruling that counts is deciphered for the review of its job', async () => {
  const { codec, beside } = await flooded(50);
  const reveal = jest.spyOn(codec, 'reveal');
  expect(await beside.reviewOf(await beside.of(LOG_ID))).toMatchObject({ amendment_id: 'am-7', changes: { said: 7 } });
  expect(reveal).toHaveBeenCalledTimes(1);
});
