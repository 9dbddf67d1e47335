import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { DamagedArtifactError } from '../artifacts.js';
import { describeArtifactStoreContract } from '../testing/artifacts.contract.js';
import { inTemporaryPlace, temporaryPlace } from '../testing/temporary-folder.js';
import { openFileArtifactStore } from './file-artifact-store.js';

describeArtifactStoreContract('the artifact store in files', {
  open: async () => {
    const { folder, keep, dispose } = temporaryPlace();
    return { store: await keep(openFileArtifactStore({ folder })), dispose };
  },
});

describe('an artifact file', () => {
  it(
    'outlives its store; what a crash left unfinished does not',
    inTemporaryPlace(async ({ folder, keep }) => {
      const unfinished = join(folder.path, 'artifacts', 'unfinished');
      mkdirSync(unfinished, { recursive: true });
      writeFileSync(join(unfinished, 'half'), 'hal');
      const store = await keep(openFileArtifactStore({ folder }));
      const name = await store.put(Buffer.from('whole'));
      expect(readdirSync(unfinished)).toEqual([]);
      await store.close();
      const again = await keep(openFileArtifactStore({ folder }));
      expect(Buffer.from((await again.get(name))!).toString()).toBe('whole');
    }),
  );

  it(
    'is counted with its bytes, once however often it is put, also after a restart, and not when it is gone',
    inTemporaryPlace(async ({ folder, keep }) => {
      const store = await keep(openFileArtifactStore({ folder }));
      const [name] = await Promise.all(Array.from({ length: 8 }, () => store.put(Buffer.alloc(5000))));
      await store.put(Buffer.alloc(7000));
      expect(store.localBytes).toBe(12_000);
      await store.close();
      const again = await keep(openFileArtifactStore({ folder }));
      expect(again.localBytes).toBe(12_000);
      await again.delete(name!);
      await again.delete(name!);
      expect(again.localBytes).toBe(7000);
    }),
  );

  it(
    'that was damaged is never given out, and is made whole by putting it again',
    inTemporaryPlace(async ({ folder, keep }) => {
      const store = await keep(openFileArtifactStore({ folder }));
      const name = await store.put(Buffer.from('whole'));
      const path = join(folder.path, 'artifacts', name.slice(0, 2), name.slice(2));
      writeFileSync(path, 'whale');
      await expect(store.get(name)).rejects.toThrow(DamagedArtifactError);
      await store.put(Buffer.from('whole'));
      expect(Buffer.from((await store.get(name))!).toString()).toBe('whole');
    }),
  );
});
