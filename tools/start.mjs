// `npm start`: puts the packages in place when they are missing, then opens the samples in an editor. See
// tools/startEditor.ts.
import { runWithPackages } from './packages.mjs';

runWithPackages('tools/startEditor.ts', process.argv.slice(2));
