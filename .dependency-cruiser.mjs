/** The borders of CONTRIBUTING.md, "Where things live". Each rule's comment is what a violator reads. */

/** Specs, and the contract suites and helpers that specs run. */
export const SPEC = '\\.spec\\.ts$|[./-]contract\\.ts$|/testing/';
/** Everything outside the project: packages, Node's own modules. */
const OUTSIDE = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown', 'core'];

export default {
  forbidden: [
    {
      name: 'kernel-stands-alone',
      comment: 'libs/kernel imports nothing of ours: it is the ground the others stand on.',
      severity: 'error',
      from: { path: '^libs/kernel/', pathNot: SPEC },
      to: { path: '^(apps|libs|test)/', pathNot: '^libs/kernel/' },
    },
    {
      name: 'kernel-knows-no-package',
      comment: 'libs/kernel uses node:crypto and nothing else from outside.',
      severity: 'error',
      from: { path: '^libs/kernel/', pathNot: SPEC },
      to: { dependencyTypes: OUTSIDE, pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'verifier-stands-alone',
      comment: "libs/verifier is what a third party reads and runs: it imports Node's own modules and nothing else.",
      severity: 'error',
      from: { path: '^libs/verifier/', pathNot: SPEC },
      to: { pathNot: '^libs/verifier/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'client-stands-alone',
      comment:
        "libs/client is what other programs take: it imports libs/signatures, Node's own modules and nothing else.",
      severity: 'error',
      from: { path: '^libs/client/', pathNot: SPEC },
      to: { pathNot: ['^libs/client/', '^libs/signatures/src/index\\.ts$'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'agent-server-stands-alone',
      comment:
        "libs/agent-server is what other people's agents take: it imports libs/signatures, Node's own modules and nothing else.",
      severity: 'error',
      from: { path: '^libs/agent-server/', pathNot: SPEC },
      to: { pathNot: ['^libs/agent-server/', '^libs/signatures/src/index\\.ts$'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'signatures-stand-alone',
      comment:
        "libs/signatures is shared with what others install: it imports structured-headers, Node's own modules and nothing else.",
      severity: 'error',
      from: { path: '^libs/signatures/', pathNot: SPEC },
      to: { pathNot: ['^libs/signatures/', 'node_modules/structured-headers/'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'A domain/ folder imports the kernel and its own folder, nothing else of ours.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/src/domain/', pathNot: SPEC },
      to: { path: '^(apps|libs|test)/', pathNot: ['^libs/kernel/src/index\\.ts$', '^libs/$1/src/domain/'] },
    },
    {
      name: 'domain-knows-no-package',
      comment: 'A domain/ folder imports no framework, no package and no module of Node: effects come in as data.',
      severity: 'error',
      from: { path: '^libs/[^/]+/src/domain/', pathNot: SPEC },
      to: { dependencyTypes: OUTSIDE },
    },
    {
      name: 'units-import-their-file',
      comment: 'A unit spec imports the file that it tests, not the index of its library, which brings all the others.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/.*\\.unit\\.spec\\.ts$' },
      to: { path: '^libs/$1/src/index\\.ts$' },
    },
    {
      name: 'libs-meet-at-the-index',
      comment: 'Import another library as #lib/<name>: only its index.ts is there for others.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/', pathNot: SPEC },
      to: { path: '^libs/', pathNot: ['^libs/$1/', '^libs/[^/]+/src/index\\.ts$'] },
    },
    {
      name: 'apps-meet-libs-at-the-index',
      comment: 'Import a library as #lib/<name>: only its index.ts is there for others.',
      severity: 'error',
      from: { path: '^apps/', pathNot: SPEC },
      to: { path: '^libs/', pathNot: ['^libs/[^/]+/src/index\\.ts$', '^libs/(client|verifier)/src/browser\\.ts$'] },
    },
    {
      name: 'console-asks-the-interface',
      comment:
        'apps/console is a program of the interface: it imports the client, its own files and what a browser runs.',
      severity: 'error',
      from: { path: '^apps/console/', pathNot: SPEC },
      to: { path: '^(apps|libs|test)/', pathNot: ['^apps/console/', '^libs/(client|verifier)/src/browser\\.ts$'] },
    },
    {
      name: 'production-replay-asks-nobody',
      comment:
        'A production replay is made of the record: nothing that could ask an agent or an engine is within its reach.',
      severity: 'error',
      from: { path: '^libs/replay/src/(production|replay-job|missing|fresh-snapshots|stored-checks)\\.ts$' },
      to: { path: ['^libs/agents/', '^libs/replay/src/(sandbox/|reexecution\\.ts|replays\\.ts)'] },
    },
    {
      name: 'nothing-imports-apps',
      comment: 'Apps are edges: a library never imports one.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'programs-import-no-tests',
      comment: 'What ships does not import specs, fixtures or test support.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: SPEC },
      to: { path: ['^test/', '\\.spec\\.ts$'] },
    },
    {
      name: 'no-dev-packages-in-programs',
      comment: 'What ships may import only packages listed under "dependencies".',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: SPEC },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-cycles',
      comment: 'Two files, or two libraries, that need each other are one, or lack a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nothing imports and that imports nothing is forgotten.',
      severity: 'error',
      from: {
        orphan: true,
        path: '^(apps|libs)/',
        // The build puts console/src/verify in the place of Node's own modules.
        pathNot: [SPEC, '/main\\.ts$', '/index\\.ts$', '\\.d\\.ts$', 'worker\\.ts$', '^apps/console/src/verify/'],
      },
      to: {},
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Types cross the same borders as values.
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
};
