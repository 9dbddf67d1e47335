/** `npm run golden`: writes test/golden/golden_messages.json, every code with its message, from the error catalogue. */
import { writeAtomically } from '../../scripts/lib/atomic-file.mjs';
import { makeReady, run } from '../../scripts/lib/ready.mjs';
import { inRoot } from '../../scripts/lib/root.mjs';

await run(async () => {
  await makeReady();
  const { ERROR_CATALOGUE } = await import('../../dist/libs/kernel/src/errors.js');
  const messages = Object.entries(ERROR_CATALOGUE).map(([code, { user_message }]) => [code, user_message]);
  const text = JSON.stringify(Object.fromEntries(messages.sort()), null, 2);
  writeAtomically(inRoot('test', 'golden', 'golden_messages.json'), `${text}\n`);
});
