// The entry of the language server and its threads: V8 is prepared before the rest is loaded.
import { isMainThread } from 'node:worker_threads';
import { prepareEngine } from './start';

prepareEngine(__filename, [], true);
if (isMainThread) void import('./main/talk').then(({ talk }) => talk());
else void import('./main/thread').then(({ think }) => think());
