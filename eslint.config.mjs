import { builtinModules } from 'node:module';
import { defineConfig } from 'eslint/config';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const RANDOM = ['random*', 'getRandomValues', 'webcrypto', 'generate*', 'subtle'];
const IO_MODULES = builtinModules.filter(
  (name) => !name.startsWith('_') && !['crypto', 'buffer', 'util', 'assert'].includes(name),
);

/** A directive that switches a rule off says why, after two dashes. */
const reasonedDirectives = {
  create: ({ sourceCode, report }) => ({
    Program() {
      for (const comment of sourceCode.getAllComments()) {
        if (/^\s*eslint-disable/.test(comment.value) && !/--\s*\S{3}/.test(comment.value)) {
          report({ loc: comment.loc, message: 'Say why the rule is switched off: "-- reason".' });
        }
      }
    },
  }),
};

export default defineConfig(
  { ignores: ['node_modules/', 'dist/', 'coverage/', 'data/', 'bench-results/', '.cache/', 'libs/client/src/api.ts'] },
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { mace: { rules: { 'reasoned-directives': reasonedDirectives } } },
    rules: {
      'mace/reasoned-directives': 'error',
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-empty': 'error',
      'no-unused-vars': 'error',
      'no-unreachable': 'error',
      'no-constant-condition': ['error', { checkLoops: 'allExceptWhileTrue' }],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
      'no-template-curly-in-string': 'error',
      'no-self-compare': 'error',
      'no-unsafe-finally': 'error',
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/ban-ts-comment': ['error', { minimumDescriptionLength: 5 }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // An async method that awaits nothing is how an embedded twin implements an asynchronous port.
      '@typescript-eslint/require-await': 'off',
      'no-console': 'error',
      'no-unused-vars': 'off',
    },
  },
  {
    files: ['apps/console/**/*.tsx'],
    extends: [reactHooks.configs.flat['recommended-latest']],
  },
  {
    // What people and measurements read goes to the console.
    files: ['apps/cli/**/*.ts', 'examples/**/*.ts', 'test/bench/**/*.ts', 'test/support/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.spec.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // The same input gives the same output on every machine, in every time zone and language (spec: Randomness).
    files: ['libs/*/src/domain/**/*.ts', 'libs/kernel/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time is an input: take it as an argument.' },
        { object: 'Math', property: 'random', message: 'Draw from DeterministicRng.' },
        { object: 'process', property: 'hrtime', message: 'Time is an input: take it as an argument.' },
        { object: 'process', property: 'env', message: 'Configuration is an input: take it as an argument.' },
        ...['localeCompare', 'toLocaleString', 'toLocaleDateString', 'toLocaleLowerCase', 'toLocaleUpperCase'].map(
          (property) => ({ property, message: 'Depends on the machine’s language.' }),
        ),
      ],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Time is an input.' },
        { selector: "CallExpression[callee.name='Date']", message: 'Time is an input.' },
        { selector: 'ImportExpression', message: 'A pure module loads nothing at run time.' },
      ],
      'no-restricted-globals': [
        'error',
        ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'performance', 'fetch', 'crypto'],
      ],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['@nestjs/*'], message: 'The kernel and domain folders know no framework.' },
            {
              group: ['node:*', ...IO_MODULES, '!node:crypto', '!node:buffer', '!node:util', '!node:assert'],
              message: 'The kernel and domain folders do no I/O.',
            },
            {
              group: ['crypto', 'node:crypto'],
              importNamePattern: `^(${RANDOM.map((r) => r.replace('*', '.*')).join('|')})$`,
              message: 'Draw from DeterministicRng.',
            },
          ],
        },
      ],
    },
  },
);
