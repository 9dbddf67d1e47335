import { join } from 'node:path';

import { applyToServer, verifyServer } from './apply.js';
import { EventStoreDbSetup } from './eventstoredb-setup.js';
import { readServerSettings } from './settings-file.js';

const url = process.env['EVENTSTORE_URL'];

if (url === undefined || url === '') {
  process.stderr.write('NOT RUN: the set-up of a real EventStoreDB; EVENTSTORE_URL=esdb://… names one to be set up\n');
  it.skip('the set-up of a real EventStoreDB [declared: EVENTSTORE_URL names none]', () => undefined);
} else {
  describe('the EventStoreDB that EVENTSTORE_URL names', () => {
    const wanted = readServerSettings(join(process.cwd(), 'eventstore-config'));
    let server: EventStoreDbSetup;
    beforeAll(async () => {
      server = await EventStoreDbSetup.of(url);
    });
    afterAll(() => server.close());

    it('differs from the settings in nothing, once they are applied, but in what a person has to do', async () => {
      const { left } = await applyToServer(server, wanted);
      expect(await verifyServer(server, wanted)).toEqual(left);
      expect(left.every(({ by_hand }) => by_hand !== null)).toBe(true);
    });

    it('is changed by nothing the second time', async () => {
      expect((await applyToServer(server, wanted)).changed).toEqual([]);
    });
  });
}
