// Mocha's usual report, and its sums in a file: `--reporter-option file=…`.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { file } = options.reporterOptions;
    runner.once('end', () =>
      writeFileSync(
        file,
        JSON.stringify({ passes: this.stats.passes, failures: this.stats.failures, pending: this.stats.pending }),
      ),
    );
  }
};
