// The suites that a browser runs. The walkthrough comes first: the keys for its menu go to an open page.
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
