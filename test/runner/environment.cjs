const { syncBuiltinESMExports } = require('node:module');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

const { clearImmediate, clearInterval, clearTimeout, Date, fetch, setImmediate, setInterval, setTimeout } = globalThis;
const OWN = { clearImmediate, clearInterval, clearTimeout, Date, fetch, setImmediate, setInterval, setTimeout };

/** Tests run in the realm of the worker process itself: nothing is compiled or loaded a second time. */
module.exports = class NativeEnvironment {
  constructor({ globalConfig, projectConfig }) {
    if (globalConfig.collectCoverage) throw new Error('--coverage: use NODE_V8_COVERAGE instead (docs/testing.md)');
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.before = { env: { ...process.env }, exit: process.exit, folder: process.cwd() };
  }

  /** Every property draws from one seed, so that a run of the tests is like the next. */
  async setup() {
    const { configureGlobal } = await import('fast-check');
    configureGlobal({ seed: Number(process.env.MACE_TEST_SEED) });
  }

  /** The next file of this worker finds the process as this one did. */
  async teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    // A spy on a fake timer puts that back when it is restored after the real ones.
    Object.assign(globalThis, OWN);
    syncBuiltinESMExports();
    const { env, exit, folder } = this.before;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.exit = exit;
    process.chdir(folder);
  }

  /** Jest refuses an environment without it, and calls it only for coverage. */
  getVmContext() {
    return null;
  }
};
