import { MongoWire } from '../../../../test/fixtures/mongodb-wire/mongodb-wire.js';
import { realServer } from '../../../mongodb/src/testing/real-server.js';
import { kidOf } from '../subject-keys.js';
import { describeSubjectKeyStoreContract, newKey } from '../testing/subject-keys.contract.js';
import { openMongoSubjectKeys } from './mongodb-subject-keys.js';

describeSubjectKeyStoreContract('the subject key store on MongoDB, over the double on the wire,', {
  open: async () => {
    const wire = await MongoWire.start();
    const store = await openMongoSubjectKeys({ url: wire.url });
    return { store, dispose: () => store.close().finally(() => wire.close()) };
  },
});

describe('data keys on MongoDB', () => {
  it('leave no byte in any document where they were destroyed, nor where a refusal came while they were made', async () => {
    const wire = await MongoWire.start();
    const store = await openMongoSubjectKeys({ url: wire.url });
    try {
      const [ann, bob] = [newKey('ann.1'), newKey('bob.1')];
      await store.create('ann', ann);
      await store.destroy('ann.1');
      // At once: whichever comes first, whoever refused finds what is there to destroy.
      const making = store.create('bob', bob);
      await store.refuse('bob');
      expect((await making).state).toMatch(/present|refused/);
      for (const record of await store.listFor('bob')) await store.destroy(kidOf(record));
      expect(JSON.stringify(wire.data.find('subject_keys', {}))).not.toContain(ann.wrapped);
      expect(JSON.stringify(wire.data.find('subject_keys', {}))).not.toContain(bob.wrapped);
    } finally {
      await store.close();
      await wire.close();
    }
  });
});

const real = realServer('the subject key contract on MongoDB');
if (real) {
  describeSubjectKeyStoreContract('the subject key store on the server of MONGODB_URL', {
    open: async () => {
      const url = real.freshUrl();
      const store = await openMongoSubjectKeys({ url });
      return { store, dispose: () => store.close().then(() => real.drop(url)) };
    },
  });
} else {
  it.skip('the same contract on a real server, for which MONGODB_URL must be set', () => undefined);
}
