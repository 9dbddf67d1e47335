import { IntegrityError } from '#lib/event-store';
import { sha256Hex } from '#lib/kernel';

import { moduleStream } from './domain/module.events.js';
import { selfrepProcess } from './testing/selfrep-process.js';

const MATH = 'agent:math_v1';
const BEHIND = 'agent:behind_v1';
const MADE_UP = moduleStream('agent:made_up_v1');

it('knows the modules from events that were signed: begins over others, tells of each and goes on behind them', async () => {
  const { store, register } = selfrepProcess();
  await register(MATH);
  const offline = { data: { node_id: MATH }, metadata: { schema_version: 1 }, stream: moduleStream(MATH) };
  // As somebody does who can write to the event store and holds no key.
  await store.append(MADE_UP, 'none', [{ id: sha256Hex('1'), type: 'NODE_OFFLINE', text: 'x' }]);
  await store.append(moduleStream(MATH), 'exists', [
    { id: sha256Hex('2'), type: 'NODE_OFFLINE', text: JSON.stringify(offline) },
  ]);
  await register(BEHIND);

  const { directory, faults } = selfrepProcess({ store });
  await directory.start();
  await directory.stop();
  expect(directory.all().map(({ node_id }) => node_id)).toEqual([MATH, BEHIND]);
  expect(directory.statusOf(MATH)).not.toBe('offline');
  expect(faults).toEqual([
    expect.objectContaining({ stream: MADE_UP, revision: 0 }),
    expect.objectContaining({ stream: moduleStream(MATH), revision: 1 }),
  ]);
  expect(faults.every((fault) => fault instanceof IntegrityError)).toBe(true);
});
