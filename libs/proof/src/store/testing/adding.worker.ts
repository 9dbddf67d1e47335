import { ProofStore } from '../proof-store.js';
import { addedEvent } from './adding.js';

/** Adds leaves without end, 17 at a time, and says so; for tests that kill it. */
const store = await ProofStore.open(process.argv[2]!);
for (let size = store.reader.size(); ;) {
  const batch = Array.from({ length: 17 }, (_, i) => addedEvent(size + i));
  ({ size } = await store.append(size, batch));
  process.stdout.write(`${size}\n`);
}
