// Element types become template parameters, aliases, traits and members.
import type { Change } from '../marked';
import { elementOf, type Code, type Kernel, type Place, type Program, type Transformation } from '../program';

/** Where code names a type of one word, as itself: not in `unsigned int`. */
export function typePlaces({ text, uses }: Program, word: string, within: Place): readonly Place[] {
  return uses(word, within).filter(
    ({ start, end }) =>
      !/(?:\b(?:unsigned|signed|long|short|struct)\s+|::\s*|\.|->)$/.test(text.slice(0, start)) &&
      !/^\s+(?:unsigned|signed|long|short|int)\b|^\s*::/.test(text.slice(end)),
  );
}

/** A kernel with a pointer to elements whose type is one word, that the kernel's text spells so each time. */
export function elementIn(program: Program, code: Code): string | undefined {
  for (const { syntax } of code.params) {
    const element = elementOf(syntax);
    if (element === undefined || !/^\w+$/.test(element) || element === 'void') continue;
    if (typePlaces(program, element, code).length === program.uses(element, code).length) return element;
  }
  return undefined;
}

export const first = <T>(
  kernels: readonly Kernel[],
  look: (kernel: Kernel) => T | undefined,
): readonly (readonly [Kernel, T])[] =>
  kernels.flatMap((kernel) => {
    const found = look(kernel);
    return found === undefined ? [] : [[kernel, found] as const];
  });

/** The kernel's type by another name, and the name in each launch. */
export function templateOf(program: Program, kernel: Kernel, element: string, dependent = 'T'): Change[] {
  const parameter = program.fresh('T');
  const name = dependent.replace(/\bT\b/g, parameter);
  return [
    { start: kernel.start, end: kernel.start, by: [`template <typename ${parameter}>\n`] },
    ...typePlaces(program, element, kernel).map((at) => ({ ...at, by: [name] })),
    ...kernel.launches.map(({ callee: { end } }) => ({ start: end, end, by: [`<${element}>`] })),
  ];
}

function kernelsBy(
  name: string,
  change: (program: Program, kernel: Kernel, element: string) => readonly Change[],
): Transformation {
  return {
    name,
    apply(program) {
      const found = first(program.kernels, (kernel) => elementIn(program, kernel));
      return found.length
        ? program.changed(found.flatMap(([kernel, element]) => change(program, kernel, element)))
        : undefined;
    },
  };
}

/** Before the first declaration that may use it: type names of the program are declared before its kernels. */
const before = ({ start }: Place, text: string): Change => ({ start, end: start, by: [text] });

const kernelTemplate = kernelsBy('kernel template', (program, kernel, element) => templateOf(program, kernel, element));

const traits = kernelsBy('type from traits', (program, kernel, element) => {
  const name = program.fresh('ElementTraits');
  return [
    before(kernel, `template <typename U>\nstruct ${name} {\n  using type = U;\n};\n\n`),
    ...templateOf(program, kernel, element, `typename ${name}<T>::type`),
  ];
});

const alias = kernelsBy('type alias', (program, kernel, element) => {
  const name = program.fresh('real');
  return [
    before(kernel, `using ${name} = ${element};\n\n`),
    ...typePlaces(program, element, kernel).map((at) => ({ ...at, by: [name] })),
  ];
});

const member = kernelsBy('type member', (program, kernel, element) => {
  const name = program.fresh('Precision');
  return [
    before(kernel, `struct ${name} {\n  using Scalar = ${element};\n};\n\n`),
    ...typePlaces(program, element, kernel).map((at) => ({ ...at, by: [`${name}::Scalar`] })),
  ];
});

/** Host functions that launch a kernel, both as templates of the element. */
function hostTemplate(
  name: string,
  use: (host: Code, element: string, program: Program) => string | undefined,
  call: boolean,
): Transformation {
  return {
    name,
    apply(program) {
      const changes: Change[] = [];
      for (const host of program.hosts) {
        if (host.decl.name === 'main' || /\bstatic\b/.test(program.text.slice(host.start, host.nameAt.start))) continue;
        const kernels = program.kernels.filter(({ launches }) =>
          launches.every(({ within }) => within.start === host.start),
        );
        const found = first(kernels, (kernel) => elementIn(program, kernel));
        const element = found[0]?.[1];
        if (element === undefined || found.some((one) => one[1] !== element)) continue;
        if (!host.params.some(({ syntax }) => elementOf(syntax) === element)) continue;
        const places = typePlaces(program, element, host);
        if (places.length !== program.uses(element, host).length) continue;
        const after = use(host, element, program);
        if (after === undefined) continue;
        const parameter = program.fresh('Element');
        // Which overload a call means is not asked here.
        if (program.hosts.filter(({ decl }) => decl.name === host.decl.name).length > 1) continue;
        const calls = program.uses(host.decl.name).filter(({ start }) => start !== host.nameAt.start);
        if (calls.some(({ end }) => !/^\s*\(/.test(program.text.slice(end)))) continue;
        const ends = new Map<number, Change>();
        for (const [kernel] of found)
          for (const { callee } of kernel.launches)
            ends.set(callee.end, { start: callee.end, end: callee.end, by: [`<${parameter}>`] });
        changes.push(
          ...found.flatMap(([kernel]) =>
            templateOf(program, kernel, element).filter(({ start, end }) => start !== end || !ends.has(start)),
          ),
          ...ends.values(),
          { start: host.start, end: host.start, by: [`template <typename ${parameter}>\n`] },
          ...places.map((at) => ({ ...at, by: [parameter] })),
          ...calls.map(({ end }) => ({ start: end, end, by: [`<${element}>`] })),
          { start: host.end, end: host.end, by: [`\n\n${after}`] },
        );
        if (call) break;
      }
      return changes.length ? program.changed(changes) : undefined;
    },
  };
}

const signature = (host: Code): string => host.params.map(({ text }) => text.replace(/\s*=[^=].*$/s, '')).join(', ');
const returns = (host: Code, program: Program): string =>
  program.text
    .slice(host.start, host.nameAt.start)
    .replace(/\binline\b/, '')
    .trim();

export const types: readonly Transformation[] = [
  kernelTemplate,
  hostTemplate(
    'host template, instantiated',
    (host, element, program) =>
      `template ${returns(host, program)} ${host.decl.name}<${element}>(${signature(host)});\n`,
    false,
  ),
  hostTemplate(
    'host template, called',
    (host, element, program) =>
      `${returns(host, program)} ${program.fresh('callIt')}(${signature(host)}) { return ${host.decl.name}<${element}>(${host.params.map(({ name }) => name).join(', ')}); }\n`,
    false,
  ),
  alias,
  traits,
  member,
];
