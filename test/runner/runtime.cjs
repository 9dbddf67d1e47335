const asyncHooks = require('node:async_hooks');
const { join, relative } = require('node:path');
const { pathToFileURL } = require('node:url');

/** Where jest-circus keeps the handlers of the last file. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');
const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

/** Timers that Node itself needs in this realm, to send a message for example: faked, a worker would fall silent. */
const NODES_OWN = ['nextTick', 'queueMicrotask'];

/**
 * What Jest loads modules with (its option `runtime`): Node itself, from what the build made of the sources. A module is
 * evaluated once a worker and not once a file, so that a file of tests costs what its tests cost.
 * Mocks of modules are not there; all else of the `jest` object that tests here use is.
 */
module.exports = class NativeRuntime {
  constructor(config, environment) {
    this.config = config;
    this.environment = environment;
    this.storages = [];
  }

  /** @param path of a source file */
  unstable_importModule(path) {
    const built = join(this.config.rootDir, 'dist', relative(this.config.rootDir, path).replace(/\.ts$/, '.js'));
    return import(pathToFileURL(built).href);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  requireModule(path) {
    return require(path);
  }

  /** jest-circus, anew: its state is that of one file, and goes with it. */
  requireInternalModule(path) {
    delete globalThis[EVENT_HANDLERS];
    delete globalThis[TEST_TIMEOUT];
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (key.description === 'JEST_STATE_SYMBOL') delete globalThis[key];
    module.children = module.children.filter(({ id }) => id !== path);
    delete require.cache[path];
    return this.#recordingStorages(() => require(path));
  }

  /** Node visits every storage in use for each promise that is made: those of an earlier file would slow all later ones. */
  #recordingStorages(work) {
    const { AsyncLocalStorage } = asyncHooks;
    const { storages } = this;
    class RecordedStorage extends AsyncLocalStorage {
      constructor(...args) {
        super(...args);
        storages.push(this);
      }
    }
    // A value of its own on one release of Node, a getter on another.
    const property = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage');
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', {
      configurable: true,
      enumerable: true,
      value: RecordedStorage,
    });
    try {
      return work();
    } finally {
      Object.defineProperty(asyncHooks, 'AsyncLocalStorage', property);
    }
  }

  setGlobalsForRuntime() {
    globalThis.jest = this.#jestObject();
  }

  #jestObject() {
    const { fakeTimersModern: timers, moduleMocker: mocker } = this.environment;
    const jest = {
      fn: mocker.fn.bind(mocker),
      spyOn: mocker.spyOn.bind(mocker),
      restoreAllMocks: () => (mocker.restoreAllMocks(), jest),
      useFakeTimers: ({ doNotFake = [], ...options } = {}) => {
        timers.useFakeTimers({ ...options, doNotFake: [...NODES_OWN, ...doNotFake] });
        return jest;
      },
      useRealTimers: () => (timers.useRealTimers(), jest),
      setSystemTime: (now) => timers.setSystemTime(now),
      getTimerCount: () => timers.getTimerCount(),
      advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
      advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
      setTimeout: (ms) => ((globalThis[TEST_TIMEOUT] = ms), jest),
    };
    return jest;
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {
    for (const storage of this.storages) storage.disable();
  }
};
