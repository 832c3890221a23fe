// Integer constants become enumerators, static members, template arguments, fields of a parameter and class members.
import type { Change } from '../marked';
import type { Place, Program, Transformation } from '../program';
import { isScalar } from '../program';

interface Constant {
  readonly name: string;
  readonly value: string;
  /** Its declaration with the semicolon or the line. */
  readonly at: Place;
  readonly uses: readonly Place[];
}

/** Constants of the file that are one integer: `#define N 32`, `const int n = 32;`, `constexpr int n = 32;`. */
function constantsOf(program: Program): readonly Constant[] {
  const { text } = program;
  const found: Constant[] = [];
  for (const [name, { body, at }] of program.macros) {
    const everywhere = text.match(new RegExp(`\\b${name}\\b`, 'g'))!.length;
    const uses = program.uses(name);
    if (/^\(?\d+\)?$/.test(body.trim()) && uses.length > 0 && everywhere === uses.length + 1)
      found.push({ name, value: body.replace(/\D/g, ''), at, uses });
  }
  for (const { name, qualifiedName, constant, space, start, init, type } of program.globals) {
    const line =
      /^(?:static\s+|inline\s+)*(?:const|constexpr)\s+(?:static\s+)?(?:const\s+)?(?:unsigned\s+)?int\s+\w+\s*=\s*[\w\s*+/()-]+;/.exec(
        text.slice(text.lastIndexOf('\n', start) + 1),
      );
    if (
      !constant ||
      space !== 'none' ||
      !line ||
      name !== qualifiedName ||
      type.kind !== 'named' ||
      type.name !== 'int'
    )
      continue;
    if (!init || line[0].includes('(')) continue;
    const from = text.lastIndexOf('\n', start) + 1;
    const uses = program.uses(name).filter((use) => use.start >= from + line[0].length);
    if (uses.length && program.uses(name).length === uses.length + 1)
      found.push({
        name,
        value: /=\s*(.*);$/s.exec(line[0])![1]!,
        at: { start: from, end: from + line[0].length },
        uses,
      });
  }
  return found;
}

function constantsBy(
  name: string,
  change: (program: Program, constant: Constant) => readonly Change[],
): Transformation {
  return {
    name,
    apply(program) {
      const changes = constantsOf(program).flatMap((constant) => [...change(program, constant)]);
      return changes.length ? program.changed(changes) : undefined;
    },
  };
}

const enumerator = constantsBy('constant as enumerator', (_, { name, value, at }) => [
  { ...at, by: [`enum { ${name} = ${value} };\n`] },
]);

const staticMember = constantsBy('constant as static member', (program, { name, value, at, uses }) => {
  const holder = program.fresh('Settings');
  return [
    { ...at, by: [`struct ${holder} {\n  static constexpr int ${name} = ${value};\n};\n`] },
    ...uses.map((use) => ({ ...use, by: [`${holder}::${name}`] })),
  ];
});

const memberOfTemplate = constantsBy('constant as member of a template', (program, { name, value, at, uses }) => {
  const holder = program.fresh('Policy');
  // `N` may be a macro.
  const parameter = program.fresh('Value');
  return [
    {
      ...at,
      by: [`template <int ${parameter}>\nstruct ${holder} {\n  static constexpr int ${name} = ${parameter};\n};\n`],
    },
    ...uses.map((use) => ({ ...use, by: [`${holder}<${value}>::${name}`] })),
  ];
});

const templateArgument: Transformation = {
  name: 'constant as template argument',
  apply(program) {
    const changes: Change[] = [];
    const constants = constantsOf(program);
    for (const kernel of program.kernels) {
      const its = constants.filter(({ uses }) =>
        uses.some(({ start }) => start > kernel.nameAt.start && start < kernel.end),
      );
      if (!its.length) continue;
      const names = its.map(({ name }) => program.fresh(`k${name}`));
      changes.push(
        {
          start: kernel.start,
          end: kernel.start,
          by: [`template <${names.map((name) => `int ${name}`).join(', ')}>\n`],
        },
        ...its.flatMap(({ uses }, at) =>
          uses
            .filter(({ start }) => start >= kernel.start && start < kernel.end)
            .map((use) => ({ ...use, by: [names[at]!] })),
        ),
        ...kernel.launches.map(({ callee: { end } }) => ({
          start: end,
          end,
          by: [`<${its.map(({ name }) => name).join(', ')}>`],
        })),
      );
    }
    return changes.length ? program.changed(changes) : undefined;
  },
};

/** All scalar parameters of a kernel in one structure that is passed by value. */
const parameterStruct: Transformation = {
  name: 'parameter structure',
  apply(program) {
    const changes: Change[] = [];
    for (const kernel of program.kernels) {
      const scalars = kernel.params
        .map((param, index) => ({ ...param, index }))
        .filter(({ syntax, name }) => isScalar(syntax) && name);
      if (!scalars.length || kernel.params.length !== kernel.decl.params.length) continue;
      if (scalars.some(({ text }) => text.includes('='))) continue;
      const shadowed = scalars.some(
        ({ name }) =>
          kernel.decl.body &&
          new RegExp(`\\b(?:int|float|auto|size_t|unsigned)\\s+${name}\\b`).test(program.textOf(kernel.body)),
      );
      const full = kernel.launches.every(({ args }) => args.length === kernel.params.length);
      if (shadowed || !full) continue;
      const type = program.fresh('Arguments');
      const name = program.fresh('args');
      const others = kernel.params.filter((one) => !scalars.some(({ start }) => start === one.start));
      const open = program.text.indexOf('(', kernel.nameAt.end);
      changes.push(
        {
          start: kernel.start,
          end: kernel.start,
          by: [
            `struct ${type} {\n${scalars.map(({ text }) => `  ${text.replace(/^const\s+|\s*\bconst\b/g, '').trim()};\n`).join('')}};\n\n`,
          ],
        },
        {
          start: open + 1,
          end: kernel.params.at(-1)!.end,
          by: [...others.flatMap((one) => [program.slice(one), ', ']), `${type} ${name}`],
        },
        ...scalars.flatMap((one) =>
          program
            .uses(one.name, kernel.body)
            .filter(({ start }) => !/(?:\.|->)$/.test(program.text.slice(0, start)))
            .map((use) => ({ ...use, by: [`${name}.${one.name}`] })),
        ),
        ...kernel.launches.map(({ args }) => ({
          start: args[0]!.start,
          end: args.at(-1)!.end,
          by: [
            ...args.flatMap((arg, at) => (scalars.some(({ index }) => index === at) ? [] : [program.slice(arg), ', '])),
            `${type}{`,
            ...scalars.flatMap(({ index, syntax }, at) => [
              `${at ? ', ' : ''}static_cast<${syntax.kind === 'named' ? syntax.name : 'int'}>(`,
              program.slice(args[index]!),
              ')',
            ]),
            '}',
          ],
        })),
      );
    }
    return changes.length ? program.changed(changes) : undefined;
  },
};

/** Constants of a function that launches become members of a class, which its constructor sets. */
const constructorMember: Transformation = {
  name: 'constant set in a constructor',
  apply(program) {
    const changes: Change[] = [];
    for (const host of program.hosts) {
      const { base } = host.decl;
      for (const local of host.locals.values()) {
        const at = { start: base + local.start, end: base + local.end };
        const text = program.textOf(at);
        const value = /^(?:const|constexpr)\s+int\s+(\w+)\s*=\s*(\d[\d\s<+*]*)$/.exec(text);
        if (!value || program.text[at.end] !== ';') continue;
        const uses = program.uses(local.name, host).filter(({ start }) => start > at.end);
        const constantNeeded = uses.some(
          ({ start, end }) =>
            (/(?:\[|<|\bcase\s|dim3 )\s*$/.test(program.text.slice(0, start)) &&
              !/<<<\s*$/.test(program.text.slice(0, start))) ||
            /^\s*\]/.test(program.text.slice(end)),
        );
        const launches = program.kernels.some(({ launches: all }) =>
          all.some(
            ({ within, start, end }) =>
              within.start === host.start && uses.some((use) => use.start > start && use.end < end),
          ),
        );
        if (constantNeeded || !launches) continue;
        const type = program.fresh('Plan');
        const name = program.fresh('plan');
        changes.push(
          {
            start: host.start,
            end: host.start,
            by: [
              `class ${type} {\n public:\n  ${type}() : ${local.name}_(${value[2]}) {}\n  int ${local.name}() const { return ${local.name}_; }\n\n private:\n  int ${local.name}_;\n};\n\n`,
            ],
          },
          { ...at, by: [`const ${type} ${name}`] },
          ...uses.map((use) => ({ ...use, by: [`${name}.${local.name}()`] })),
        );
      }
    }
    return changes.length ? program.changed(changes) : undefined;
  },
};

export const constants: readonly Transformation[] = [
  enumerator,
  staticMember,
  memberOfTemplate,
  templateArgument,
  parameterStruct,
  constructorMember,
];
