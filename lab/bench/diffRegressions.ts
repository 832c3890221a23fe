// Edits of CUDA programs for the comparison of versions, after which the GPU has more to do.
import type { Random } from '../../test/robustness/fuzz/random';
import { inKernel, kernelsIn, lineAt, pick, type EditedText, type Edit } from './diffEdits';

/** Accesses by `name[a][b]` in kernels, whose indices are no numbers. */
function swappedIndices(text: string, random: Random): EditedText | undefined {
  const found = kernelsIn(text).flatMap((kernel) =>
    [...text.slice(kernel.bodyStart, kernel.bodyEnd).matchAll(/\b(\w+)\[([^[\]]+)\]\[([^[\]]+)\](?!\[)/g)]
      .filter(({ 1: array, 2: one, 3: other, index }) => {
        const body = text.slice(kernel.bodyStart, kernel.bodyEnd);
        const before = body.slice(0, index);
        const isDeclared = /\b\w+\s+$/.test(before) && !/\breturn\s+$/.test(before);
        // A part of an accessor with more indices: both are far from the last.
        const isPart = /\bauto&?\s+\w+\s*=\s*$/.test(before);
        // Rows that do not fill whole banks serve both orders.
        const rows = new RegExp(`__shared__[^;]*\\b${array}\\s*\\[[^\\]]*\\]\\s*\\[([^\\]]*)\\]`).exec(body)?.[1];
        const isPadded = rows !== undefined && (/[+]/.test(rows) || (Number(rows) || 0) % 16 !== 0);
        // A thread's own array has no lanes side by side.
        const isLocal = new RegExp(`(?<!__shared__[^;]*)\\b\\w+\\s+${array}\\s*\\[`).test(body);
        const lanes = [
          'threadIdx.x',
          ...[...body.matchAll(/\b(\w+)\s*=[^;=]*\bthreadIdx\.x\b[^;]*;/g)].map((each) => each[1]!),
        ];
        const isOfLane = (index: string): boolean =>
          lanes.some((lane) => new RegExp(`(^|[^\\w.])${lane.replace('.', '\\.')}\\b`).test(index));
        return (
          one !== other &&
          isOfLane(other!) &&
          !isOfLane(one!) &&
          !isDeclared &&
          !isPart &&
          !isPadded &&
          !isLocal &&
          !/^\s*\d+\s*$/.test(one!) &&
          !/^\s*\d+\s*$/.test(other!)
        );
      })
      .map((match) => ({ kernel, match })),
  );
  const one = pick(found, random);
  if (!one) return undefined;
  const { kernel, match } = one;
  const at = kernel.bodyStart + match.index;
  const line = lineAt(text, at);
  const swapped = `${match[1]}[${match[3]}][${match[2]}]`;
  return {
    kind: 'indices',
    text: text.slice(0, at) + swapped + text.slice(at + match[0].length),
    lines: [line, line],
    kernel: kernel.name,
  };
}

/** Literals beside an operator, in no array of constants, whose doubles a compiler does not make floats again. */
function floatsIn(body: string): readonly RegExpMatchArray[] {
  const all = [...body.matchAll(/(?<=[\w)\]]\s*[*/]\s*)(\d+\.\d+)f\b/g)];
  return all.filter(([, digits]) => Math.fround(Number(digits)) !== Number(digits));
}

/** A thread's place in the whole grid. */
function ofGrid(axis: string): RegExp {
  return new RegExp(
    `blockDim\\.${axis}\\s*\\)?\\s*\\+\\s*threadIdx\\.${axis}|threadIdx\\.${axis}\\s*\\+[^;]*blockIdx\\.${axis}\\s*\\*`,
  );
}

/** Edits after which the GPU has more to do, by their kind alone; whether a model sees it is what is measured. */
export const regressions: Readonly<Record<string, Edit>> = {
  axis(text, random) {
    const kernel = pick(
      kernelsIn(text).filter(({ bodyStart, bodyEnd }) => {
        const body = text.slice(bodyStart, bodyEnd);
        return ['x', 'y'].every((axis) => ofGrid(axis).test(body)) && !body.includes('threadIdx.z');
      }),
      random,
    );
    if (!kernel) return undefined;
    const body = text
      .slice(kernel.bodyStart, kernel.bodyEnd)
      .replace(/\bthreadIdx\.([xy])\b/g, (_, axis: string) => `threadIdx.${axis === 'x' ? 'y' : 'x'}`);
    return inKernel('axis', text, kernel, body);
  },
  pad(text, random) {
    const match = pick(
      [...text.matchAll(/(__shared__[^;\n=]*\[\s*([^\]]+?)\s*\]\s*\[\s*\2)\s*\+\s*1\s*\]\s*;/g)],
      random,
    );
    const kernel = match && kernelsIn(text).find(({ start, bodyEnd }) => match.index > start && match.index < bodyEnd);
    if (!match || !kernel) return undefined;
    const before = text.slice(kernel.bodyStart, match.index);
    const behind = text.slice(match.index + match[0].length, kernel.bodyEnd);
    return inKernel('pad', text, kernel, `${before}${match[1]}];${behind}`);
  },
  stride(text, random) {
    const kernel = pick(kernelsIn(text), random);
    if (!kernel) return undefined;
    const head = text.slice(kernel.start, kernel.bodyStart);
    const pointers = [...head.matchAll(/\*\s*(?:__restrict__\s*|const\s*|__restrict\s*)*(\w+)\s*[,)]/g)].map(
      (one) => one[1]!,
    );
    const body = text.slice(kernel.bodyStart, kernel.bodyEnd);
    // An index that names the thread, or a variable that is made of it.
    const lanes = [...body.matchAll(/\b(\w+)\s*=[^;=]*\bthreadIdx\.x\b[^;]*;/g)].map((one) => one[1]!);
    const access = pick(
      [...body.matchAll(/\b(\w+)\s*\[\s*([^[\]]+?)\s*\]/g)].filter(
        (one) =>
          pointers.includes(one[1]!) &&
          // Neighbours are at neighbouring places.
          [...lanes, 'threadIdx.x'].some((lane) =>
            new RegExp(`(^|\\+\\s*)${lane.replace('.', '\\.')}(\\s*[+-][^*]*)?$`).test(one[2]!.trim()),
          ) &&
          !/[%/&]/.test(one[2]!),
      ),
      random,
    );
    if (!access) return undefined;
    const behind = body.slice(access.index + access[0].length);
    const edited = `${body.slice(0, access.index)}${access[1]}[(${access[2]}) * 8]${behind}`;
    const line = lineAt(text, kernel.bodyStart + access.index);
    return {
      kind: 'stride',
      text: text.slice(0, kernel.bodyStart) + edited + text.slice(kernel.bodyEnd),
      lines: [line, line],
      kernel: kernel.name,
    };
  },
  double(text, random) {
    const kernel = pick(kernelsIn(text), random);
    if (!kernel) return undefined;
    const body = text.slice(kernel.bodyStart, kernel.bodyEnd);
    const literal = pick(floatsIn(body), random);
    if (!literal) return undefined;
    const at = kernel.bodyStart + literal.index!;
    const line = lineAt(text, at);
    return {
      kind: 'double',
      text: text.slice(0, at) + literal[1] + text.slice(at + literal[0].length),
      lines: [line, line],
      kernel: kernel.name,
    };
  },
  hoist(text, random) {
    const loop = pick(
      [...text.matchAll(/\bfor\s*\([^;{}]*;[^;{}]*;[^{};]*\)\s*\{(?=[^{}]*<<<)/g)].filter(
        (one) => !one[0].includes('threadIdx'),
      ),
      random,
    );
    if (!loop) return undefined;
    const at = loop.index + loop[0].length;
    const line = lineAt(text, at) + 1;
    const added = '\n  void *scratch_; cudaMalloc(&scratch_, 1 << 20);\n  cudaFree(scratch_);';
    return { kind: 'hoist', text: text.slice(0, at) + added + text.slice(at), lines: [line, line + 1] };
  },
  indices: swappedIndices,
  accessor(text, random) {
    const found = kernelsIn(text).flatMap((kernel) => {
      const head = text.slice(kernel.start, kernel.bodyStart);
      const body = text.slice(kernel.bodyStart, kernel.bodyEnd);
      const lanes = [...body.matchAll(/\b(\w+)\s*=[^;=]*\bthreadIdx\.x\b[^;]*;/g)].map((one) => one[1]!);
      return [...body.matchAll(/\b(\w+)\((\w+), *(\w+)\)/g)]
        .filter(
          ([, name, row, lane]) =>
            new RegExp(`[\\w>&]\\s+${name}\\s*[,)]`).test(head) && lanes.includes(lane!) && !lanes.includes(row!),
        )
        .map((match) => ({ kernel, match }));
    });
    const one = pick(found, random);
    if (!one) return undefined;
    const at = one.kernel.bodyStart + one.match.index;
    const [all, name, row, lane] = one.match;
    const line = lineAt(text, at);
    const swapped = `${text.slice(0, at)}${name}(${lane}, ${row})${text.slice(at + all.length)}`;
    return { kind: 'accessor', text: swapped, lines: [line, line], kernel: one.kernel.name };
  },
  functor(text, random) {
    const bodies = text.matchAll(/\boperator\s*\(\s*\)\s*\([^(){};]*\)[^(){};]*\{([^{}]*)\}/g);
    const found = [...bodies].flatMap((match) => {
      const start = match.index + match[0].length - match[1]!.length - 1;
      return floatsIn(match[1]!).map((one) => ({
        one,
        at: start + one.index!,
      }));
    });
    const literal = pick(found, random);
    if (!literal) return undefined;
    const { one, at } = literal;
    const line = lineAt(text, at);
    return { kind: 'functor', text: text.slice(0, at) + one[1] + text.slice(at + one[0].length), lines: [line, line] };
  },
  sync(text, random) {
    const loop = pick(
      kernelsIn(text).flatMap((kernel) =>
        [...text.slice(kernel.bodyStart, kernel.bodyEnd).matchAll(/\bfor\s*\([^;{}]*;[^;{}]*;[^{};]*\)\s*\{/g)].map(
          (match) => ({ kernel, at: kernel.bodyStart + match.index + match[0].length, loop: match[0] }),
        ),
      ),
      random,
    );
    if (!loop || /threadIdx/.test(loop.loop)) return undefined;
    const line = lineAt(text, loop.at);
    return {
      kind: 'sync',
      text: `${text.slice(0, loop.at)} __syncthreads();${text.slice(loop.at)}`,
      lines: [line, line],
      kernel: loop.kernel.name,
    };
  },
  atomics(text, random) {
    const store = pick(
      kernelsIn(text).flatMap((kernel) => {
        const head = text.slice(kernel.start, kernel.bodyStart);
        return [
          ...text
            .slice(kernel.bodyStart, kernel.bodyEnd)
            .matchAll(/(?<=[;{}]\s*)(\w+)\[([^[\]=;]+)\]\s*\+?=\s*([^=;][^;]*);/g),
        ]
          .filter((match) => new RegExp(`\\b(float|int)\\s*\\*[^,)]*\\b${match[1]}\\b`).test(head))
          .map((match) => ({ kernel, match }));
      }),
      random,
    );
    if (!store) return undefined;
    const { kernel, match } = store;
    const at = kernel.bodyStart + match.index;
    const line = lineAt(text, at);
    return {
      kind: 'atomics',
      text: `${text.slice(0, at)}atomicAdd(&${match[1]}[0], ${match[3]});${text.slice(at + match[0].length)}`,
      lines: [line, line],
      kernel: kernel.name,
    };
  },
  'block size'(text, random) {
    const launch = pick([...text.matchAll(/<<<\s*([^,<>]+),\s*(128|256|512)\s*(?=,|>>>)/g)], random);
    if (!launch) return undefined;
    const size = pick(['16', '32', '100'], random)!;
    const line = lineAt(text, launch.index);
    return {
      kind: 'block size',
      text: `${text.slice(0, launch.index)}<<<${launch[1]}, ${size}${text.slice(launch.index + launch[0].length)}`,
      lines: [line, line],
    };
  },
  block(text, random) {
    const shape = pick([...text.matchAll(/\bdim3\s+\w+\s*[({]\s*(8|16|32)\s*,\s*(8|16|32)\s*[)}]/g)], random);
    if (!shape) return undefined;
    const [x, y] = [Number(shape[1]), Number(shape[2])];
    const narrow = shape[0].replace(/\d+\s*,\s*\d+(?=\s*[)}]$)/, `2, ${(x * y) / 2}`);
    const line = lineAt(text, shape.index);
    return {
      kind: 'block',
      text: text.slice(0, shape.index) + narrow + text.slice(shape.index + shape[0].length),
      lines: [line, line],
    };
  },
};
