import { describeSubjectKeyStoreContract } from '../testing/subject-keys.contract.js';
import { MemorySubjectKeys } from './memory-subject-keys.js';

describeSubjectKeyStoreContract('the subject key store in memory', {
  open: async () => {
    const store = new MemorySubjectKeys();
    return { store, dispose: () => store.close() };
  },
});
