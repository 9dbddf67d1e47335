import { describeArtifactStoreContract } from '../testing/artifacts.contract.js';
import { MemoryArtifacts } from './memory-artifacts.js';

describeArtifactStoreContract('the artifact store in memory', {
  open: async () => {
    const store = new MemoryArtifacts();
    return { store, dispose: () => store.close() };
  },
});
