import { KeyRing } from '#lib/kernel';

import { SignedEvents, type TamperedEvent } from './signed-events.js';
import { LogOfRetiredKey } from './testing/retired-key-log.js';

let made: LogOfRetiredKey;
beforeAll(async () => {
  made = await LogOfRetiredKey.make();
});

it('opens what a key signed before it was retired, and refuses what it signs after', async () => {
  const ring = new KeyRing(made.keys);
  const signed = new SignedEvents(made.logOf(ring), ring);
  const [before, since, forged] = (await made.store.readStream('said')).events;
  expect((await signed.open(before!)).data).toEqual({ text: 'before' });
  expect((await signed.open(since!)).data).toEqual({ text: 'since' });
  await expect(signed.open(forged!)).rejects.toThrow('was retired before');
});

it('tells of an event once, whichever reactors meet it, and whoever listens later too', async () => {
  const ring = new KeyRing(made.keys);
  const signed = new SignedEvents(made.logOf(ring), ring);
  const told: TamperedEvent[][] = [[], []];
  signed.onMet((event) => told[0]!.push(event));
  const forged = (await made.store.readStream('said')).events[2]!;
  const error = (await signed.open(forged).catch((reason: unknown) => reason)) as Parameters<SignedEvents['tell']>[0];
  signed.tell(error, forged);
  signed.tell(error, forged);
  signed.onMet((event) => told[1]!.push(event));
  expect(told[0]).toMatchObject([{ stream: 'said', revision: 2, position: forged.position }]);
  expect(told[1]).toEqual(told[0]);
});
