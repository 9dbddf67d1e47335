import { describeStateCacheContract } from '../testing/state-cache.contract.js';
import { MemoryStateCache } from './memory-state-cache.js';

describeStateCacheContract('the cache in memory', (capacity) => ({
  cache: new MemoryStateCache(capacity),
  dispose: () => undefined,
}));
