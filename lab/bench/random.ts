// Holds the model against random kernels whose answer is known: npx tsx lab/bench/random.ts [--from 0] [--count 1000]
//   [--minimise] [--list] [--prove] [--print SEED]
//
// --minimise shrinks each kernel with a wrong figure and prints it; --list says every wrong figure; --prove compiles
// the kernels as C++ with g++ and holds their indices against the evaluation, from which the figures come.
// Exit status: 1 where a figure is wrong or a proof fails, 2 for bad arguments.
import { parseArgs } from 'node:util';
import { caseOfSeed, compare, minimised } from '../../test/semantic/random/compare';
import { printCuda } from '../../test/semantic/random/print';
import { proofOf } from '../../test/semantic/random/proof';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      from: { type: 'string', default: '0' },
      count: { type: 'string', default: '1000' },
      minimise: { type: 'boolean' },
      list: { type: 'boolean' },
      prove: { type: 'boolean' },
      print: { type: 'string' },
    },
  });
  if (values.print !== undefined) {
    const test = caseOfSeed(Number(values.print));
    console.log(printCuda(test.kernel, test.extents).text);
    return;
  }
  const from = Number(values.from);
  const count = Number(values.count);
  if (!Number.isInteger(from) || !Number.isInteger(count) || from < 0 || count < 1)
    throw new Error('--from and --count take whole numbers: npx tsx lab/bench/random.ts --from 0 --count 1000');
  let equal = 0;
  let assumed = 0;
  let absent = 0;
  let proven = 0;
  const wrongSeeds: number[] = [];
  let wrong = 0;
  for (let seed = from; seed < from + count; seed++) {
    const test = caseOfSeed(seed);
    if (values.prove) {
      const difference = proofOf(test);
      if (difference === undefined) proven++;
      else console.log(`seed ${seed}: the evaluation is wrong: ${difference}`);
      continue;
    }
    const outcome = await compare(test);
    equal += outcome.equal;
    assumed += outcome.assumed;
    absent += outcome.absent;
    wrong += outcome.wrong.length;
    if (outcome.wrong.length === 0) continue;
    wrongSeeds.push(seed);
    if (values.list) for (const each of outcome.wrong) console.log(`seed ${seed} ${each}`);
    if (values.minimise) {
      const small = await minimised(test);
      console.log(`seed ${seed}\n${small.outcome.wrong.join('\n')}\n${small.outcome.text}`);
    }
  }
  if (values.prove) {
    console.log(`${proven} of ${count} kernels touch with g++ what the evaluation says`);
    if (proven < count) process.exitCode = 1;
    return;
  }
  console.log(
    `${count} kernels: ${equal} places equal, ${wrong} wrong, ${assumed} assumed and different, ` +
      `${absent} without a figure`,
  );
  if (wrongSeeds.length) {
    console.log(`${wrongSeeds.length} kernels with a wrong figure: seeds ${wrongSeeds.join(' ')}`);
    process.exitCode = 1;
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
