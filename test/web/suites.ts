// The suites that a browser runs: those of the desktop that need no process, and its own.
import '../host/comparison.suite';
import '../host/diagnostics.suite';
import '../host/directives.suite';
import '../host/evidence.suite';
import '../host/fixes.suite';
import '../host/openacc.suite';
import '../host/reading.suite';
import '../host/settings.suite';
import '../host/timeline.suite';
import '../host/walks.suite';
import '../host/walkthrough.suite';
import './browser.suite';
