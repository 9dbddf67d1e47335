import { answer } from './messages.js';

it.each([
  [13, 'the disk is full (it failed)'],
  [778, 'the disk is full, over its quota or failing (it failed)'],
  [266, 'it failed'],
])('what SQLite answers with %i is told as %s', (errcode, message) => {
  const error = Object.assign(new Error('it failed'), { code: 'ERR_SQLITE_ERROR', errcode });
  const failing = (): never => {
    throw error;
  };
  expect(answer(failing)).toEqual({ kind: 'failed', reason: 'unavailable', message });
});
