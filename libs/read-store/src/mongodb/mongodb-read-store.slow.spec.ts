import { MongoWire } from '../../../../test/fixtures/mongodb-wire/mongodb-wire.js';
import { realServer } from '../../../mongodb/src/testing/real-server.js';
import { describeReadStoreContract } from '../contract/read-store.contract.js';
import type { ReadStoreUnderTest } from '../contract/trial.contract.js';
import { openMongoReadStore } from './mongodb-read-store.js';

async function underTest(url: string, end: () => Promise<void>): Promise<ReadStoreUnderTest> {
  let store = await openMongoReadStore({ url });
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await openMongoReadStore({ url });
      return store;
    },
    dispose: async () => {
      await store.close();
      await end();
    },
  };
}

for (const replicaSet of [true, false]) {
  const name = `mongodb, over the double on the wire, ${replicaSet ? 'with transactions' : 'without transactions'}`;
  const factory = async (): Promise<ReadStoreUnderTest> => {
    const wire = await MongoWire.start({ replicaSet });
    return underTest(wire.url, () => wire.close());
  };
  // A query is in no transaction, so it is the same in both.
  describeReadStoreContract(name, factory, { finding: replicaSet });
}

const real = realServer('the read store contract on MongoDB');
if (real) {
  describeReadStoreContract('mongodb, on the server of MONGODB_URL', async () => {
    const url = real.freshUrl();
    return underTest(url, () => real.drop(url));
  });
} else {
  it.skip('the same contract on a real server, for which MONGODB_URL must be set', () => undefined);
}
