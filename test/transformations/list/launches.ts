// The launch moves into a function, a class, a lambda, and the lambda that a macro calls for a type.
import type { Change, Marked } from '../marked';
import { typeText, type Kernel, type Launch, type Program, type Transformation } from '../program';
import { elementIn, templateOf } from './types';

interface Needed {
  readonly name: string;
  readonly type: string;
}

/** The variables of the function around it that a launch reads, with their types; undefined where a type is not plain. */
export function neededBy(program: Program, launch: Launch): readonly Needed[] | undefined {
  const { decl, locals, params, body } = launch.within;
  const needed = new Map<string, Needed>();
  const words = new Set(program.textOf(launch).match(/[A-Za-z_]\w*/g));
  for (const name of words) {
    const param = params.find((one) => one.name === name);
    const local = locals.get(name);
    const type = param?.syntax ?? local?.type;
    if (!param && !local) {
      // Declared twice, a member, or of a shape that is not a variable.
      if (
        new RegExp(`[\\w*&>]\\s*[*&]?\\s*\\b${name}\\s*(?:[=;,\\[({]|\\))`).test(
          program.textOf(body).split(program.textOf(launch)).join(' '),
        ) &&
        declaresIn(launch, name)
      )
        return undefined;
      continue;
    }
    const text = type && typeText(type);
    if (text === undefined || /^auto\b/.test(text) || decl.templateParams?.length) return undefined;
    // Types that the function declares are not known outside it.
    needed.set(name, { name, type: text.replace(/^const (?=[^*]*$)/, '') });
  }
  return [...needed.values()];
}

function declaresIn({ within }: Launch, name: string): boolean {
  return (
    JSON.stringify(within.decl.body).includes(`"kind":"var"`) &&
    JSON.stringify(within.decl.body).includes(`"name":"${name}","nameStart"`)
  );
}

interface Movable extends Launch {
  readonly statement: NonNullable<Launch['statement']>;
  readonly needed: readonly Needed[];
}

function movable(program: Program, kernels: readonly Kernel[] = program.kernels): readonly Movable[] {
  return kernels.flatMap(({ launches }) =>
    launches.flatMap((launch) => {
      const needed = launch.statement && !launch.within.decl.templateParams && neededBy(program, launch);
      return needed ? [{ ...launch, statement: launch.statement!, needed }] : [];
    }),
  );
}

const list = (needed: readonly Needed[], tail = ''): string =>
  needed.map(({ name, type }) => `${type} ${name}${tail}`).join(', ');
const names = (needed: readonly Needed[], tail = ''): string => needed.map(({ name }) => name + tail).join(', ');

function movesBy(name: string, move: (program: Program, launch: Movable) => readonly Change[]): Transformation {
  return {
    name,
    apply(program) {
      const changes = movable(program).flatMap((launch) => [...move(program, launch)]);
      return changes.length ? program.changed(changes) : undefined;
    },
  };
}

const wrapper = movesBy('launch in a function', (program, launch) => {
  const name = program.fresh('launchIt');
  const { start } = launch.within;
  return [
    {
      start,
      end: start,
      by: [`static void ${name}(${list(launch.needed)}) {\n  `, program.slice(launch.statement), '\n}\n\n'],
    },
    { ...launch.statement, by: [`${name}(${names(launch.needed)});`] },
  ];
});

/** The text of a launch with each variable by another name. */
function renamedIn(
  program: Program,
  launch: Launch,
  needed: readonly Needed[],
  to: (name: string) => string,
): Marked[] {
  const changes = needed.flatMap(({ name }) => program.uses(name, launch).map((use) => ({ ...use, by: [to(name)] })));
  const sorted = changes.sort((a, b) => a.start - b.start);
  const parts: Marked[] = [];
  let at = launch.start;
  for (const { start, end, by } of sorted) {
    parts.push(program.slice({ start: at, end: start }));
    const { origins } = program.slice({ start, end });
    parts.push({ text: by[0]!, origins: Array.from(by[0]!, () => origins[0]!) });
    at = end;
  }
  parts.push(program.slice({ start: at, end: launch.end }));
  return parts;
}

const classMember = movesBy('launch in a member function', (program, launch) => {
  const type = program.fresh('Runner');
  const { start } = launch.within;
  const { needed } = launch;
  if (!needed.length) return [];
  return [
    {
      start,
      end: start,
      by: [
        `class ${type} {\n public:\n  explicit ${type}(${list(needed)}) : ${needed.map(({ name }) => `${name}_(${name})`).join(', ')} {}\n  void run() const {\n    `,
        ...renamedIn(program, launch, needed, (name) => `${name}_`),
        `;\n  }\n\n private:\n${needed.map(({ name, type: its }) => `  ${its} ${name}_;\n`).join('')}};\n\n`,
      ],
    },
    { ...launch.statement, by: [`${type}(${names(needed)}).run();`] },
  ];
});

const lambda: Transformation = {
  name: 'launch in a lambda',
  apply(program) {
    const changes = program.kernels.flatMap(({ launches }) =>
      launches.flatMap(({ statement }): Change[] =>
        statement
          ? [
              { start: statement.start, end: statement.start, by: ['[&] { '] },
              { start: statement.end, end: statement.end, by: [' }();'] },
            ]
          : [],
      ),
    );
    return changes.length ? program.changed(changes) : undefined;
  },
};

const dispatch: Transformation = {
  name: 'launch in a dispatch macro',
  apply(program) {
    const changes: Change[] = [];
    const macros = new Map<string, string>();
    for (const kernel of program.kernels) {
      const element = elementIn(program, kernel);
      if (element === undefined || kernel.launches.some(({ statement }) => !statement)) continue;
      const macro = macros.get(element) ?? program.fresh(`DISPATCH_${element.toUpperCase()}`);
      macros.set(element, macro);
      changes.push(
        ...templateOf(program, kernel, element).filter(({ start }) => start < kernel.end && start >= kernel.start),
        ...kernel.launches.flatMap(({ statement, callee: { end } }): Change[] => [
          { start: statement!.start, end: statement!.start, by: [`${macro}(sizeof(${element}), [&] { `] },
          { start: end, end, by: ['<scalar_t>'] },
          { start: statement!.end, end: statement!.end, by: [' });'] },
        ]),
      );
    }
    const at = changes.length ? Math.min(...changes.map(({ start }) => start)) : 0;
    const texts = [...macros].map(
      ([element, macro]) =>
        `#define ${macro}(SIZE, ...) \\\n  [&] { \\\n    switch (SIZE) { \\\n      case sizeof(${element}): { \\\n        using scalar_t = ${element}; \\\n        return __VA_ARGS__(); \\\n      } \\\n      default: \\\n        throw "not supported"; \\\n    } \\\n  }()\n\n`,
    );
    return changes.length ? program.changed([{ start: at, end: at, by: texts }, ...changes]) : undefined;
  },
};

export const launches: readonly Transformation[] = [wrapper, classMember, lambda, dispatch];
