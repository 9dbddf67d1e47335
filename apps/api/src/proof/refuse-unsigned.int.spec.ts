import { KeyRing } from '#lib/kernel';

import { LogOfRetiredKey } from '../reactions/testing/retired-key-log.js';
import { refuseUnsigned } from './refuse-unsigned.js';

let made: LogOfRetiredKey;
beforeAll(async () => {
  made = await LogOfRetiredKey.make();
});

it('proves what a key signed before it was retired, and nothing that it signs after', async () => {
  const log = made.logOf(new KeyRing(made.keys));
  const refused: unknown[] = [];
  for (const { id: event_id, stream, revision } of (await made.store.readStream('said')).events)
    await refuseUnsigned(log, { event_id, stream, revision }).catch((error: unknown) => refused.push(error));
  expect(refused).toMatchObject([
    { code: 'INTEGRITY_FAILURE', message: expect.stringContaining('was retired before') },
  ]);
  expect(refused).toMatchObject([{ meta: { stream: 'said', revision: 2 } }]);
});
