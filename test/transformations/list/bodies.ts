// Bodies move into functors and device lambdas; pointers become accessors.
import type { Change, Marked } from '../marked';
import { elementOf, isScalar, type Kernel, type Place, type Program, type Transformation } from '../program';

/** Kernels whose parameters can be fields: pointers and scalars with names, none with a default. */
function kernelsWithFields(program: Program): readonly Kernel[] {
  return program.kernels.filter(
    ({ params, launches }) =>
      params.length > 0 &&
      params.every(
        ({ syntax, name, text }) => name && !text.includes('=') && (isScalar(syntax) || syntax.kind === 'pointer'),
      ) &&
      launches.every(({ args }) => args.length === params.length),
  );
}

const withoutConst = (text: string): string => text.replace(/^const\s+(?=[^*]*$)/, '').replace(/\*\s*const\b/, '*');
const fields = ({ params }: Kernel): string => params.map(({ text }) => `  ${withoutConst(text)};\n`).join('');

const functor: Transformation = {
  name: 'body in a functor',
  apply(program) {
    const changes = kernelsWithFields(program).flatMap((kernel): Change[] => {
      const type = program.fresh('Body');
      return [
        {
          start: kernel.start,
          end: kernel.start,
          by: [
            `struct ${type} {\n${fields(kernel)}  __device__ void operator()() `,
            program.slice(kernel.body),
            '\n};\n\n',
          ],
        },
        { ...kernel.body, by: [`{ ${type}{${kernel.params.map(({ name }) => name).join(', ')}}(); }`] },
      ];
    });
    return changes.length ? program.changed(changes) : undefined;
  },
};

/** `__launch_bounds__` and the like stay with the kernel, which then has to stay. */
function isBare(program: Program, { start, nameAt }: Kernel): boolean {
  return /^(?:static\s+|inline\s+)*__global__\s+(?:static\s+)?void\s+$/.test(program.text.slice(start, nameAt.start));
}

const genericKernel: Transformation = {
  name: 'functor given to a generic kernel',
  apply(program) {
    const kernels = kernelsWithFields(program).filter((kernel) => isBare(program, kernel));
    if (!kernels.length) return undefined;
    const generic = program.fresh('forAll');
    const changes = kernels.flatMap((kernel): Change[] => {
      const type = program.fresh('Operation');
      return [
        {
          start: kernel.start,
          end: kernel.end,
          by: [
            `struct ${type} {\n${fields(kernel)}  __device__ void operator()() `,
            program.slice(kernel.body),
            '\n};',
          ],
        },
        ...kernel.launches.flatMap(({ callee, args }): Change[] => [
          { ...callee, by: [generic] },
          {
            start: args[0]!.start,
            end: args.at(-1)!.end,
            by: [
              `${type}{`,
              ...args.flatMap((arg, at) => {
                const { syntax } = kernel.params[at]!;
                const text = program.slice(arg);
                const given =
                  isScalar(syntax) && syntax.kind === 'named' ? [`static_cast<${syntax.name}>(`, text, ')'] : [text];
                return at ? [', ', ...given] : given;
              }),
              '}',
            ],
          },
        ]),
      ];
    });
    return program.changed([genericAt(kernels[0]!, generic), ...changes]);
  },
};

/** A kernel of that name before a place, which calls what it is passed. */
function genericAt({ start }: Place, name: string): Change {
  return { start, end: start, by: [`template <typename F>\n__global__ void ${name}(F f) {\n  f();\n}\n\n`] };
}

/** Text that is written for a launch, at its place. */
function standsAt(program: Program, { start }: Place, text: string): Marked {
  const [origin] = program.slice({ start, end: start + 1 }).origins;
  return { text, origins: Array.from(text, () => origin!) };
}

const deviceLambda: Transformation = {
  name: 'device lambda given to a generic kernel',
  apply(program) {
    const kernels = kernelsWithFields(program).filter((kernel) => isBare(program, kernel));
    if (!kernels.length) return undefined;
    const generic = program.fresh('forEach');
    const changes = kernels.flatMap((kernel): Change[] => {
      const name = program.fresh('launchBody');
      const settings = ['grid', 'block', 'bytes', 'stream'].map((one) => program.fresh(one));
      const count = Math.max(...kernel.launches.map(({ config }) => config.length));
      const types = ['dim3', 'dim3', 'size_t', 'cudaStream_t'];
      const given = settings.slice(0, count);
      return [
        {
          start: kernel.start,
          end: kernel.end,
          by: [
            `static void ${name}(${given.map((one, at) => `${types[at]} ${one}`).join(', ')}, `,
            kernel.params.map(({ text }) => text).join(', '),
            ') {\n  ',
            standsAt(program, kernel.launches[0]!, `${generic}<<<${given.join(', ')}>>>(`),
            '[=] __device__() mutable ',
            program.slice(kernel.body),
            ');\n}',
          ],
        },
        ...kernel.launches.map(({ start, end, config, args }) => {
          const zeros = Array.from({ length: count - config.length }, () => ', 0');
          return {
            start,
            end,
            by: [
              `${name}(`,
              ...config.flatMap((one, at) => (at ? [', ', program.slice(one)] : [program.slice(one)])),
              ...zeros,
              ...args.flatMap((one) => [', ', program.slice(one)]),
              ')',
            ],
          };
        }),
      ];
    });
    return program.changed([genericAt(kernels[0]!, generic), ...changes]);
  },
};

/** Pointers that a kernel only indexes become structures with an operator. */
function accessor(name: string, operator: string, open: string, close: string, extra: string): Transformation {
  return {
    name,
    apply(program) {
      const type = program.fresh('Accessor');
      const changes: Change[] = [];
      let at: number | undefined;
      for (const kernel of program.kernels) {
        for (const [index, param] of kernel.params.entries()) {
          if (elementOf(param.syntax) === undefined || elementOf(param.syntax) === 'void') continue;
          if (kernel.launches.some(({ args }) => args.length !== kernel.params.length)) continue;
          const uses = program.uses(param.name, kernel.body);
          const indexed = uses.map((use) => indexOf(program.text, use.end));
          if (!uses.length || indexed.includes(undefined)) continue;
          if (
            uses.some(
              ({ start }) =>
                /(?:\.|->|[\w>]\s+\*?|&)$/.test(program.text.slice(kernel.body.start, start)) &&
                !/\breturn\s+$|\belse\s+$/.test(program.text.slice(kernel.body.start, start)),
            )
          )
            continue;
          const element = program.text
            .slice(param.start, param.end)
            .replace(/\*[^*]*$/s, '')
            .trim();
          at ??= kernel.start;
          changes.push({ start: param.start, end: param.end, by: [`${type}<${element}> ${param.name}`] });
          if (open !== '[')
            for (const place of indexed)
              changes.push(
                { start: place!.start, end: place!.start + 1, by: [open] },
                { start: place!.end - 1, end: place!.end, by: [close] },
              );
          for (const { args } of kernel.launches) {
            const arg = args[index]!;
            changes.push(
              { start: arg.start, end: arg.start, by: [`${type}<${element}>{`] },
              { start: arg.end, end: arg.end, by: [`${extra}}`] },
            );
          }
        }
      }
      if (at === undefined) return undefined;
      const length = extra && '  long long length;\n';
      return program.changed([
        {
          start: at,
          end: at,
          by: [
            `template <typename T>\nstruct ${type} {\n  T *data;\n${length}  __device__ T &${operator}(long long i) const { return data[i]; }\n};\n\n`,
          ],
        },
        ...changes,
      ]);
    },
  };
}

/** The brackets behind a name, with what is between them. */
function indexOf(text: string, from: number): { start: number; end: number } | undefined {
  const start = from + /^\s*/.exec(text.slice(from))![0].length;
  if (text[start] !== '[') return undefined;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '[') depth++;
    if (text[at] === ']' && --depth === 0) return { start, end: at + 1 };
  }
  return undefined;
}

export const bodies: readonly Transformation[] = [
  functor,
  genericKernel,
  deviceLambda,
  accessor('accessor with brackets', 'operator[]', '[', ']', ''),
  accessor('accessor that is called', 'operator()', '(', ')', ''),
  accessor('span', 'operator[]', '[', ']', ', 1ll << 40'),
];
