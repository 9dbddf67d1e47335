import { describeReadStoreContract } from '../contract/read-store.contract.js';
import { MemoryReadStore } from './memory-read-store.js';

describeReadStoreContract('memory', async () => {
  const store = new MemoryReadStore();
  return { store, dispose: () => store.close() };
});
