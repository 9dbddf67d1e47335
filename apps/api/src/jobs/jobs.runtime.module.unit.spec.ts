import { MaceError } from '#lib/kernel';

import { JobsRuntimeModule } from './jobs.runtime.module.js';

describe('recovery whose list of jobs gives no answer', () => {
  it.each([
    ['stopped, with the application', 'stopped', 0],
    ['halted', 'halted', 1],
  ])('because it is %s', async (_, state, errors) => {
    const error = jest.fn();
    const waitFor = () => Promise.reject(new MaceError('WAIT_TIMEOUT', 'projection jobs', { state }));
    const parts = [
      { isClosing: false },
      {},
      {},
      {},
      { waitFor },
      { head: () => '0' },
      { error },
      { add: () => undefined },
    ];
    const module = new JobsRuntimeModule(...(parts as unknown as ConstructorParameters<typeof JobsRuntimeModule>));
    module.onApplicationBootstrap();
    await new Promise((resolve) => setImmediate(resolve));
    expect(error).toHaveBeenCalledTimes(errors);
  });
});
