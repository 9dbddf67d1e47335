import { randomBytes } from 'node:crypto';

import { MongoWire } from '../../../../test/fixtures/mongodb-wire/mongodb-wire.js';
import { realServer } from '../../../mongodb/src/testing/real-server.js';
import { DamagedArtifactError } from '../artifacts.js';
import { describeArtifactStoreContract } from '../testing/artifacts.contract.js';
import { openMongoArtifacts } from './mongodb-artifacts.js';

describeArtifactStoreContract('the artifact store on MongoDB, over the double on the wire,', {
  open: async () => {
    const wire = await MongoWire.start();
    const store = await openMongoArtifacts({ url: wire.url });
    return { store, dispose: () => store.close().finally(() => wire.close()) };
  },
});

describe('a large artifact on MongoDB', () => {
  it('whose piece is missing is damaged until its bytes are put again; deleted, it leaves nothing', async () => {
    const wire = await MongoWire.start();
    const store = await openMongoArtifacts({ url: wire.url });
    try {
      const body = randomBytes(9_000_000);
      const name = await store.put(body);
      const [piece] = wire.data.find('artifact_pieces', {});
      wire.data.remove('artifact_pieces', { _id: piece?.['_id'] as string }, 1);
      await expect(store.get(name)).rejects.toThrow(DamagedArtifactError);
      expect(await store.put(body)).toBe(name);
      expect(Buffer.compare((await store.get(name))!, body)).toBe(0);
      expect(wire.data.find('artifact_pieces', {})).toHaveLength(3);
      expect(await store.delete(name)).toBe(true);
      for (const left of ['artifacts', 'artifact_pieces', 'artifact_uploads']) {
        expect(wire.data.find(left, {})).toEqual([]);
      }
    } finally {
      await store.close();
      await wire.close();
    }
  });
});

const real = realServer('the artifact contract on MongoDB');
if (real) {
  describeArtifactStoreContract('the artifact store on the server of MONGODB_URL', {
    open: async () => {
      const url = real.freshUrl();
      const store = await openMongoArtifacts({ url });
      return { store, dispose: () => store.close().then(() => real.drop(url)) };
    },
  });
} else {
  it.skip('the same contract on a real server, for which MONGODB_URL must be set', () => undefined);
}
