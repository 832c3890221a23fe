// The suites that a browser runs: those of the desktop that need no process, and its own. The walkthrough comes first:
// its menu is chosen from by keys, which go to a page where one has been opened.
import '../host/walkthrough.suite';
import '../host/comparison.suite';
import '../host/diagnostics.suite';
import '../host/directives.suite';
import '../host/evidence.suite';
import '../host/fixes.suite';
import '../host/openacc.suite';
import '../host/reading.suite';
import '../host/settings.suite';
import '../host/timeline.suite';
import './walks.suite';
import './browser.suite';
