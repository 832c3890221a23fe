// Mocha's usual report, and its sums with what was skipped and why in a file: `--reporter-option file=…`.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');
const { skippedTest } = require('./skipBecause');

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { file } = options.reporterOptions;
    const skipped = [];
    runner.on('pending', (test) => skipped.push(skippedTest(test)));
    runner.once('end', () =>
      writeFileSync(file, JSON.stringify({ passes: this.stats.passes, failures: this.stats.failures, skipped })),
    );
  }
};
