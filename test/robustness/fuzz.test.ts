// A short run of the fuzzer: every target keeps its promises on a few damaged inputs of a fixed seed, and on those that once broke it.
import { makeTargets } from './fuzz/targets';
import { randomOf } from './fuzz/random';
import { drawn } from '../support/depth';

/** More by WARPLENS_MUTATIONS=1000, others by WARPLENS_SEED=2; long runs are `npm run fuzz`. */
const each = Number(process.env['WARPLENS_MUTATIONS'] ?? drawn(6, 60));
const seed = Number(process.env['WARPLENS_SEED'] ?? 1);

describe('damaged inputs', function () {
  this.timeout(60_000 + each * 1000);
  let targets: Awaited<ReturnType<typeof makeTargets>>;
  before(async () => {
    targets = await makeTargets();
  });
  after(() => targets.end());

  for (const name of ['source', 'include', 'report', 'log', 'settings', 'lsp'])
    it(`${name}: ${each} mutations of seed ${seed}`, async () => {
      const target = targets.find((one) => one.name === name)!;
      for (let at = 0; at < each; at++) {
        const random = randomOf(seed * 1_000_003 + at);
        try {
          await target.attempt(random, () => {
            // the seed makes it again
          });
        } catch (error) {
          throw new Error(`mutation ${at}: ${error instanceof Error ? error.stack : String(error)}`);
        }
      }
    });
});
