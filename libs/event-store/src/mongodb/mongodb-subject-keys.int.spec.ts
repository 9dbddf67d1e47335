import { MongoClient } from 'mongodb';

import { MongoWire } from '../../../../test/fixtures/mongodb-wire/mongodb-wire.js';
import { realServer } from '../../../mongodb/src/testing/real-server.js';
import { describeSubjectKeyStoreContract } from '../testing/subject-keys.contract.js';
import { openMongoSubjectKeys } from './mongodb-subject-keys.js';

describeSubjectKeyStoreContract('the subject key store on MongoDB, over the double on the wire,', {
  open: async () => {
    const wire = await MongoWire.start();
    const store = await openMongoSubjectKeys({ url: wire.url });
    return { store, dispose: () => store.close().finally(() => wire.close()) };
  },
});

const real = realServer('the subject key contract on MongoDB');
if (real) {
  describeSubjectKeyStoreContract('the subject key store on the server of MONGODB_URL', {
    open: async () => {
      const url = real.freshUrl();
      const store = await openMongoSubjectKeys({ url });
      const dispose = async (): Promise<void> => {
        await store.close();
        const client = new MongoClient(url);
        await client.db().dropDatabase();
        await client.close();
      };
      return { store, dispose };
    },
  });
} else {
  it.skip('the same contract on a real server, for which MONGODB_URL must be set', () => undefined);
}
