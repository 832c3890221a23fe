// Runtime calls are checked; kernels get namesakes; the code is split into header and source.
import { changed, joined, slice, type Change } from '../marked';
import type { Program, Transformation } from '../program';

function checked(
  name: string,
  body: (status: string) => string,
  include: string,
  holds: (returns: string) => boolean,
): Transformation {
  return {
    name,
    apply(program) {
      const macro = program.fresh('CHECK_CALL');
      const status = program.fresh('status');
      const calls = program.calls.filter(
        ({ name: callee, within, inLambda }) =>
          /^cuda[A-Z]/.test(callee) &&
          !/Error$/.test(callee) &&
          (!inLambda || !/\breturn\b/.test(body(status))) &&
          holds(within.decl.returns.kind === 'named' ? within.decl.returns.name : ''),
      );
      if (!calls.length) return undefined;
      return program.changed([
        {
          start: 0,
          end: 0,
          by: [
            `${include}#define ${macro}(call) \\\n  do { \\\n    cudaError_t ${status} = (call); \\\n    if (${status} != cudaSuccess) { ${body(status)} } \\\n  } while (0)\n\n`,
          ],
        },
        ...calls.flatMap(({ start, end }): Change[] => [
          { start, end: start, by: [`${macro}(`] },
          { start: end, end, by: [')'] },
        ]),
      ]);
    },
  };
}

const namesake: Transformation = {
  name: 'namespace beside a namesake',
  apply(program) {
    if (!program.kernels.length) return undefined;
    const [own, other] = [program.fresh('own'), program.fresh('elsewhere')];
    return program.changed(
      program.kernels.flatMap(({ start, end, decl, launches }): Change[] => [
        {
          start,
          end: start,
          by: [
            `namespace ${other} {\n__global__ void ${decl.name}(int *counts, int pitch) { if (threadIdx.x < pitch) counts[threadIdx.x] = pitch; }\n}\nnamespace ${own} {\n`,
          ],
        },
        { start: end, end, by: ['\n}\n'] },
        ...launches.map(({ callee }) => ({ start: callee.start, end: callee.start, by: [`${own}::`] })),
      ]),
    );
  },
};

/** The code before the first function that launches goes into a header. */
const header: Transformation = {
  name: 'header and source',
  apply({ kernels, text, source }: Program) {
    const starts = kernels.flatMap(({ launches }) => launches.map(({ within }) => within.start));
    if (!starts.length) return undefined;
    const at = Math.min(...starts);
    const inside = kernels.some(({ start, end }) => start < at && end <= at);
    const code = text.slice(0, at);
    const depth = [...code].reduce((sum, one) => sum + (one === '{' ? 1 : one === '}' ? -1 : 0), 0);
    const conditions = (word: string): number => code.match(new RegExp(`^[ \\t]*#[ \\t]*${word}`, 'gm'))?.length ?? 0;
    if (
      !inside ||
      depth ||
      conditions('if') !== conditions('endif') ||
      /(?:static|inline|template\s*<[^{;]*>|extern "C")\s*$/.test(code)
    )
      return undefined;
    return {
      main: changed(source, [{ start: 0, end: at, by: [joined(['#include "kernels.cuh"\n\n'])] }]),
      headers: new Map([['kernels.cuh', joined(['#pragma once\n', slice(source, 0, at)])]]),
    };
  },
};

const isVoid = (returns: string): boolean => returns === 'void';

export const surroundings: readonly Transformation[] = [
  checked(
    'check that throws',
    (status) => `throw std::runtime_error(cudaGetErrorString(${status}));`,
    '#include <stdexcept>\n',
    () => true,
  ),
  checked('check that returns', () => 'return;', '', isVoid),
  checked(
    'check that exits',
    () => 'std::exit(1);',
    '#include <cstdlib>\n',
    () => true,
  ),
  namesake,
  header,
];
