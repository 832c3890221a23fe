// The entry of the language server: V8 is prepared before the rest is loaded.
import { prepareEngine } from './start';

prepareEngine(__filename, [], true);
void import('./main/threads').then(({ start }) => start());
