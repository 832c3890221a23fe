// Mocha's usual report, and its sums with what failed, what was skipped and why in a file: `--reporter-option file=…`.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');
const { skippedTest } = require('./skipBecause');

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { file } = options.reporterOptions;
    const skipped = [];
    const failed = [];
    runner.on('pending', (test) => skipped.push(skippedTest(test)));
    runner.on('fail', (test, error) => failed.push(`✘ ${test.fullTitle()}\n${error.message ?? String(error)}`));
    runner.once('end', () => {
      const { passes, failures } = this.stats;
      writeFileSync(file, JSON.stringify({ passes, failures, skipped, failed }));
    });
  }
};
