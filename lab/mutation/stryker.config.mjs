// What `node lab/mutation/mutate.mjs` changes, one operator at a time, and which tests have to notice.

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  packageManager: 'npm',
  plugins: [new URL('node_modules/@stryker-mutator/mocha-runner/dist/src/index.js', import.meta.url).href],
  // The folders that prove what may be edited; `--mutate` names some of their files.
  mutate: [
    'server/src/semantic/program/**/*.ts',
    'server/src/semantic/fixes/**/*.ts',
    'server/src/semantic/flow/**/*.ts',
    'server/src/semantic/acc/analysis/**/*.ts',
  ],
  mutator: {
    // Clauses of refusals and names of preconditions are most of the strings there.
    excludedMutations: ['StringLiteral'],
  },
  testRunner: 'mocha',
  testRunnerNodeArgs: ['--import', 'tsx'],
  mochaOptions: {
    'no-config': true,
    'no-package': true,
    spec: process.env.WARPLENS_MUTATION_TESTS?.split(',') ?? [
      // The first that fails ends it: those that take longest come last.
      'test/semantic/program/*.test.ts',
      'test/semantic/fixes/*.test.ts',
      'test/semantic/fixes/*/*.test.ts',
      'test/semantic/flow/*.test.ts',
      'test/semantic/acc/*.test.ts',
      'test/semantic/acc/fromC/*.test.ts',
      'test/fixes/executed.test.ts',
      'test/rules/fixtures.test.ts',
    ],
    'async-only': false,
  },
  coverageAnalysis: 'perTest',
  // Constants of a module are made once for all mutants of a process: a few tests are run again for each, many are not.
  ignoreStatic: process.env.WARPLENS_MUTATION_TESTS === undefined,
  // No such file: StrykerJS would rewrite the project's with an interface that TypeScript 7 does not have.
  tsconfigFile: 'lab/mutation/tsconfig.json',
  disableTypeChecks: false,
  concurrency: 1,
  timeoutMS: 20000,
  timeoutFactor: 3,
  tempDirName: 'out/mutation/sandbox',
  reporters: ['json', 'clear-text', 'progress-append-only'],
  jsonReporter: { fileName: 'out/mutation/report.json' },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  allowConsoleColors: false,
  checkers: [],
  ignorePatterns: ['dist', 'docs', 'media', 'out', '.cache', 'fuzz-findings', 'samples/build', 'lab/mutation'],
};
