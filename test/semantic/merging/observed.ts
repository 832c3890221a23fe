// What nvcc makes of the cases, a line each: `16@0:3` is an instruction of 16 bytes at offset 0, counted at access 3.
import { mergeAccesses } from '../../../server/src/semantic/run/merging';
import { preamble, type MergingCase } from './cases';
import { compiledAccesses } from './machineCode';

interface Instruction {
  readonly bytes: number;
  readonly offset: number;
  readonly countedAt: number;
}

/** Offsets count from the lowest of the same array, form and mode: what the address register holds is not known. */
function line(list: readonly Instruction[], groupOf: (access: number) => string): string {
  const lowest = new Map<string, number>();
  for (const each of list) {
    const group = groupOf(each.countedAt);
    lowest.set(group, Math.min(lowest.get(group) ?? Number.POSITIVE_INFINITY, each.offset));
  }
  return list
    .map((each) => ({ ...each, offset: each.offset - lowest.get(groupOf(each.countedAt))! }))
    .sort((a, b) => a.countedAt - b.countedAt || a.offset - b.offset || a.bytes - b.bytes)
    .map(({ bytes, offset, countedAt }) => `${bytes}@${offset}:${countedAt}`)
    .join(' ');
}
function groups(test: MergingCase): (access: number) => string {
  return (access) => {
    const { base, form, mode } = test.accesses[access]!;
    return [base, form, mode].join();
  };
}

export function predicted(test: MergingCase): string {
  return line(
    mergeAccesses(test.accesses).filter(({ countedAt }) => test.accesses[countedAt]!.mode !== 'atomic'),
    groups(test),
  );
}

/** The cases as nvcc compiles them, in the same words. */
export function observed(tests: readonly MergingCase[]): string[] {
  const lines = preamble.split('\n').slice(0, -1);
  const starts: number[] = [];
  const names: string[] = [];
  for (const test of tests) {
    starts.push(lines.length);
    names.push(/void (\w+)\(/.exec(test.text)![1]!);
    lines.push(...test.text.split('\n'));
  }
  const kernels = compiledAccesses(`${lines.join('\n')}\n`);
  return tests.map((test, at) => {
    const found = (kernels.get(names[at]!) ?? []).flatMap(({ bytes, offset, line: row, space, mode }) => {
      const countedAt = test.lines.indexOf(row - starts[at]!);
      const access = test.accesses[countedAt];
      return access && access.space === space && access.mode === mode ? [{ bytes, offset, countedAt }] : [];
    });
    return line(found, groups(test));
  });
}
