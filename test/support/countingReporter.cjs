// Mocha's usual report, and its sums with what failed, what was skipped and why, and what each file cost, in a file:
// `--reporter-option file=…`. Beside it, in `….running`, stands the title of the test that runs: a run that is stopped
// says by it where it was.
const { writeFileSync } = require('node:fs');
const { relative } = require('node:path');
const { reporters } = require('mocha');
const { processorSeconds } = require('../../tools/processorTime');
const { skippedTest } = require('./skipBecause');

/** A bundled test stands at the path of its source within its folder, wherever tests have gone meanwhile. */
const sourceOf = (path) => path.replace(/^.*\bout\/tested-[^/]+\/(.*)\.js$/, '$1.ts');

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { file } = options.reporterOptions;
    const skipped = [];
    const failures = [];
    const times = [];
    const files = {};
    let before = 1000 * processorSeconds();
    runner.on('test', (test) => writeFileSync(`${file}.running`, test.fullTitle()));
    runner.on('pending', (test) => skipped.push(skippedTest(test)));
    runner.on('fail', (test, error) => {
      const reason = (error.message ?? String(error)).split('\n', 1)[0].trim();
      failures.push([test.fullTitle(), ...(reason ? [reason] : [])].join(': '));
    });
    runner.on('test end', (test) => {
      const now = 1000 * processorSeconds();
      const path = sourceOf(relative(process.cwd(), test.file).replaceAll('\\', '/'));
      files[path] = (files[path] ?? 0) + now - before;
      times.push({
        title: test.titlePath().join(' › '),
        seconds: (test.duration ?? 0) / 1000,
        processor: (now - before) / 1000,
      });
      before = now;
    });
    runner.once('end', () => {
      const { passes: passed, failures: failed } = this.stats;
      writeFileSync(file, JSON.stringify({ passed, failed, skipped, failures, times, files }));
    });
  }
};
