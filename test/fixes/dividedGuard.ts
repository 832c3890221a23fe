// Variations of kernels with barriers inside of a boundary guard, with what the fix should give.
import type { Draw, Variation } from './variations';

export const dividedGuard = { name: 'divided-guard', titles: /^Split the guard at its barriers/, vary };

/** Statements between barriers; `loop` is the head of a loop around its own parts. */
type Part =
  | { readonly lines: readonly string[]; readonly outside?: readonly string[] }
  | 'barrier'
  | { readonly head: string; readonly parts: readonly Part[] };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'double', 'unsigned int']);
  const generic = draw.chance(0.2);
  const T = generic ? 'T' : type;
  const block = draw.pick([32, 64, 128]);
  const i = draw.pick(['i', 'idx', 'inside', 'tid']); // `inside` is the name that the fix would like for itself
  const t = draw.chance(0.5) ? 'threadIdx.x' : 't';
  const barrier = draw.pick(['__syncthreads();', '__syncthreads(); // all are there', '__syncthreads() ;']);
  const guard = draw.pick([`${i} < n`, `n > ${i}`, `(${i} < n)`, `${i} < n && ${i} >= 0`]);
  const one = draw.pick(['const ', '', '']);
  // How many threads of the block are inside.
  const count = `min(${block}, n - (int)blockIdx.x * ${block})`;
  const shared = draw.chance(0.7);
  const form = draw.pick(['neighbours', 'walk', 'turns', 'several'] as const);
  const parts: Part[] = [];
  const held = (lines: readonly string[], outside?: readonly string[]): Part => ({
    lines,
    ...(outside ? { outside } : {}),
  });
  switch (form) {
    case 'neighbours':
      parts.push(
        held([`${one}${T} own = in[${i}];`, `staged[${t}] = own;`], [`${T} own;`]),
        'barrier',
        held([`if (${t} > 0) out[${i}] = own + staged[${t} - 1];`, `else out[${i}] = own;`]),
      );
      break;
    case 'walk':
      parts.push(
        held([`${T} sum = 0, most = in[${i}];`], [`${T} sum, most;`]),
        {
          head: draw.pick([
            'for (int k = 0; k < turns; k++)',
            'for (int k = 0; k < turns; k += 1)',
            'for (int k = turns; k > 0; --k)',
          ]),
          parts: [
            held([`${T} value = in[${i}];`, `staged[${t}] = value + (${T})k;`]),
            'barrier',
            held([
              `for (int j = 0; j < ${count}; j++) {`,
              '  sum += staged[j];',
              '  most = max(most, staged[j]);',
              '}',
            ]),
            'barrier',
          ],
        },
        held([`out[${i}] = sum + most;`]),
      );
      break;
    case 'turns':
      parts.push(
        held([`staged[${t}] = in[${i}];`]),
        'barrier',
        held(
          [`int from = ${t};`, `${T} *place = out + ${i};`, '*place = staged[from];'],
          ['int from;', `${T} *place;`],
        ),
        'barrier',
        held([`staged[${t}] = *place + (${T})1;`]),
        'barrier',
        held(['if (from > 0) *place += staged[from - 1];']),
      );
      break;
    case 'several':
      parts.push(
        held([`if (${t} == 0) total = 0;`]),
        'barrier',
        held([`constexpr int step = 2;`, `if (${t} % step == 0) atomicAdd(&total, (int)in[${i}]);`], []),
        'barrier',
        held([`out[${i}] = (${T})(total + step);`]),
      );
      break;
  }
  const before: string[] = [
    ...(shared || form === 'walk' || form === 'turns' || form === 'neighbours'
      ? [`__shared__ ${T} staged[${block}];`]
      : []),
    ...(form === 'several'
      ? ['__shared__ int total;', ...(shared ? [`staged[${t === 't' ? 'threadIdx.x' : t}] = 0;`] : [])]
      : []),
    ...(t === 't' ? [`const int t = threadIdx.x;`] : []),
    `${draw.pick(['int', 'const int'])} ${i} = blockIdx.x * ${draw.pick([String(block), 'blockDim.x'])} + ${t};`,
  ];
  const head = draw.pick(['if (C) {', 'if (C)\n  {', 'if (C) { // inside alone']);
  const guarded = [head.replace('C', guard), ...print(parts, barrier).map((line) => `  ${line}`), '}'];
  const divided = [
    `const bool reference = ${guard};`,
    ...(form === 'several' ? ['constexpr int step = 2;'] : []),
    ...hoisted(parts),
    ...printDivided(parts),
  ];
  const kernel = (lines: readonly string[]): string =>
    [
      ...(generic ? ['template <typename T>'] : []),
      `__global__ void meet(const ${T} *in, ${T} *out, int n, int turns) {`,
      ...[...before, ...lines].map((line) => `  ${line}`),
      '}',
      '',
      `void run(const ${type} *in, ${type} *out, int n, int turns) {`,
      `  meet<<<(n + ${block - 1}) / ${block} + 1, ${block}>>>(in, out, n, turns);`,
      '}',
      '',
    ].join('\n');
  return {
    name,
    text: kernel(guarded),
    reference: kernel(divided),
    parameters: [
      { name: 'in', type, count: 'n' },
      { name: 'out', type, count: 'n', input: 'zero' },
      { size: 'n' },
      { size: 'turns' },
    ],
    sizes: [0, 1, 31, 32, 33, 64, 100, 257].map((n, at) => ({ n, turns: [0, 1, 3][at % 3]! })),
    bound: 0,
  };
}

function print(parts: readonly Part[], barrier: string): string[] {
  return parts.flatMap((part) =>
    part === 'barrier'
      ? [barrier]
      : 'lines' in part
        ? [...part.lines]
        : [`${part.head} {`, ...print(part.parts, barrier).map((line) => `  ${line}`), '}'],
  );
}

function hoisted(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part !== 'barrier' && 'lines' in part ? (part.outside ?? []) : []));
}

/** As the fix should give it, in other words. */
function printDivided(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    if (part === 'barrier') return ['__syncthreads();'];
    if (!('lines' in part)) return [`${part.head} {`, ...printDivided(part.parts), '}'];
    const names = (part.outside ?? []).flatMap((line) =>
      [...line.matchAll(/(\w+)\s*(?=[,;])/g)].map((match) => match[1]!),
    );
    const lines = part.lines
      .filter((line) => !line.startsWith('constexpr'))
      .map((line) =>
        names.some((each) => new RegExp(`^(const )?[\\w ]+[ *]${each} = `).test(line))
          ? line.replace(/^(const )?(unsigned int|\w+) \*?/, '').replace(', ', '; ')
          : line,
      );
    return ['if (reference) {', ...lines, '}'];
  });
}
