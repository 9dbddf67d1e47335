const SLOW = '\\.slow\\.spec\\.ts$';
/** `fast`: what every change must pass; `slow`: what `npm run test:full` adds; unset: whatever Jest is asked for. */
const { MACE_TEST_TIER: tier } = process.env;

/** Node itself loads what the build made of the specs (test/runner/runtime.cjs); globalSetup builds first. */
export default {
  testEnvironment: '<rootDir>/test/runner/environment.cjs',
  runtime: '<rootDir>/test/runner/runtime.cjs',
  roots: ['apps', 'libs', 'test'],
  testMatch: [tier === 'slow' ? '**/*.slow.spec.ts' : '**/*.spec.ts'],
  testPathIgnorePatterns: tier === 'fast' ? [SLOW] : [],
  moduleFileExtensions: ['js', 'ts', 'json'],
  transform: {},
  globalSetup: '<rootDir>/test/runner/global-setup.mjs',
  testSequencer: '<rootDir>/test/runner/sequencer.cjs',
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  // One more than two cores: a file that waits, for a process it started or for a time to pass, leaves a core to others.
  maxWorkers: 3,
  workerIdleMemoryLimit: '1GB',
  reporters: ['default', '<rootDir>/test/runner/replay-reporter.mjs'],
  // No measure: a machine that is slow and loaded takes many times longer, and only what hangs should end here.
  testTimeout: 180_000,
};
