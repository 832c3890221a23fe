// `npm test`: puts the packages in place when they are missing, then runs every check there is. See tools/testAll.ts.
import { runWithPackages } from './packages.mjs';

runWithPackages('tools/testAll.ts', process.argv.slice(2));
