// The same directives spelt otherwise: sentinels, line joins, order and lists of clauses, macros, conditions.
import { joined, type Change, type Marked } from '../marked';
import {
  type AccProgram,
  type DirectiveTransformation,
  flat,
  indentOf,
  lineEnd,
  partsOf,
  replaced,
  rewritten,
} from './program';
import type { Directive } from '../../../server/src/syntax/procedures';

const upper = (part: Marked): Marked => ({ text: part.text.toUpperCase(), origins: part.origins });

const sentinels: DirectiveTransformation = {
  name: 'other sentinel',
  apply: (program) =>
    rewritten(
      program,
      (directive) => (program.language === 'c' ? partsOf(program, directive) : partsOf(program, directive).map(upper)),
      { sentinel: { c: '#  pragma   acc  ', free: '!$ACC', fixed: 'c$acc' }[program.language] },
    ),
};

const continued: DirectiveTransformation = {
  name: 'line for each clause',
  apply: (program) =>
    rewritten(program, (directive) => (directive.clauses.length ? partsOf(program, directive) : undefined), {
      long: true,
    }),
};

const hasDeviceType = ({ clauses }: Directive): boolean => clauses.some(({ name }) => name === 'device_type');

const reordered: DirectiveTransformation = {
  name: 'clauses in another order',
  apply: (program) =>
    rewritten(program, (directive) => {
      const [name, ...clauses] = partsOf(program, directive);
      if (clauses.length < 2 || hasDeviceType(directive)) return undefined;
      const turn = 1 + Math.floor(program.random() * (clauses.length - 1));
      return [name, ...clauses.slice(turn), ...clauses.slice(0, turn)];
    }),
};

const commas: DirectiveTransformation = {
  name: 'commas between clauses',
  apply: (program) =>
    rewritten(program, (directive) => {
      const [name, ...clauses] = partsOf(program, directive);
      if (clauses.length < 2) return undefined;
      return [name, ...clauses.slice(0, -1).map((clause) => joined([clause, ','])), clauses.at(-1)!];
    }),
};

const listClauses = /^(?:copy|copyin|copyout|create|present|private|firstprivate|reduction|delete|no_create)$/;

const listsSplit: DirectiveTransformation = {
  name: 'lists of clauses split',
  apply: (program) =>
    rewritten(program, (directive) => {
      let splits = false;
      const parts = directive.clauses.flatMap((clause): Marked[] => {
        const { argument, name, nameAt } = clause;
        if (!argument || argument.items.length < 2 || !listClauses.test(name))
          return [flat(program, directive, clause)];
        splits = true;
        const start = flat(program, directive, { start: nameAt.start, end: argument.items[0]!.start });
        return argument.items.map((item) => joined([start, flat(program, directive, item), ')']));
      });
      return splits ? [partsOf(program, directive)[0], ...parts] : undefined;
    }),
};

const listsMerged: DirectiveTransformation = {
  name: 'lists of clauses merged',
  apply: (program) =>
    rewritten(program, (directive) => {
      if (hasDeviceType(directive)) return undefined;
      const merged = new Map<string, Marked[]>();
      const rest: Marked[] = [];
      for (const clause of directive.clauses) {
        const { argument, name } = clause;
        if (!argument || !listClauses.test(name) || !argument.items.length) {
          rest.push(flat(program, directive, clause));
          continue;
        }
        const key = program.text.slice(clause.nameAt.start, argument.items[0]!.start).replace(/\s/g, '');
        merged.set(key, [...(merged.get(key) ?? []), ...argument.items.map((item) => flat(program, directive, item))]);
      }
      const lists = [...merged].map(([key, items]) =>
        joined([key, ...items.flatMap((item, at) => (at ? [', ', item] : [item])), ')']),
      );
      return lists.length < directive.clauses.length - rest.length
        ? [partsOf(program, directive)[0], ...rest, ...lists]
        : undefined;
    }),
};

/** Directives as operators, which macros need: their text with quotes as a string wants them. */
const pragmaOperator: DirectiveTransformation = {
  name: '_Pragma',
  apply(program) {
    if (
      program.language !== 'c' ||
      program.file.directives.some(({ start, end }) => /"/.test(program.text.slice(start, end)))
    )
      return undefined;
    return program.changed(
      program.file.directives.map((directive) =>
        replaced(directive, joined(['_Pragma("acc ', spaced(partsOf(program, directive)), '")'])),
      ),
    );
  },
};

function spaced(parts: readonly Marked[]): Marked {
  return joined(parts.flatMap((part, at) => (at ? [' ', part] : [part])));
}

const pragmaMacro: DirectiveTransformation = {
  name: 'macro around _Pragma',
  apply(program) {
    if (program.language !== 'c') return undefined;
    const [macro, string] = [program.fresh('ACC'), program.fresh('ACC_TEXT')];
    return program.changed([
      {
        start: 0,
        end: 0,
        by: [`#define ${string}(x) _Pragma(#x)\n#define ${macro}(...) ${string}(acc __VA_ARGS__)\n`],
      },
      ...program.file.directives.map((directive) =>
        replaced(directive, joined([`${macro}(`, spaced(partsOf(program, directive)), ')'])),
      ),
    ]);
  },
};

/** Numbers in clauses come from the head of the file. */
const namedNumbers: DirectiveTransformation = {
  name: 'numbers of clauses in macros',
  apply(program) {
    if (program.language !== 'c') return undefined;
    const definitions: string[] = [];
    const changes = program.directives.flatMap(({ clauses }) =>
      clauses.flatMap(({ argument }): Change[] => {
        const [item] = argument?.items ?? [];
        if (argument?.items.length !== 1 || item?.value?.kind !== 'number') return [];
        const name = program.fresh('SIZE_OF_CLAUSE');
        definitions.push(`#define ${name} ${item.text}\n`);
        return [{ start: item.start, end: item.end, by: [name] }];
      }),
    );
    return changes.length ? program.changed([{ start: 0, end: 0, by: definitions }, ...changes]) : undefined;
  },
};

/** Only where the compiler takes directives. */
const conditional: DirectiveTransformation = {
  name: '#ifdef _OPENACC around directives',
  apply(program) {
    const path = program.path.replace(/\.f(90)?$/, (ending) => ending.toUpperCase());
    return program.changed(
      program.file.directives.flatMap((directive): Change[] => {
        const start = program.text.lastIndexOf('\n', directive.start - 1) + 1;
        if (!/^[ \t]*$/.test(program.text.slice(start, directive.start))) return [];
        const end = lineEnd(program, directive.end);
        return [
          { start, end: start, by: ['#ifdef _OPENACC\n'] },
          { start: end, end, by: ['\n#endif'] },
        ];
      }),
      path,
    );
  },
};

const commented: DirectiveTransformation = {
  name: 'comments below directives',
  apply: (program: AccProgram) =>
    program.changed(
      program.file.directives.map((directive): Change => {
        const end = lineEnd(program, directive.end);
        const indent = program.language === 'fixed' ? '' : indentOf(program, directive.start);
        return { start: end, end, by: [`\n\n${indent}${program.language === 'c' ? '/* one */ //' : '!'} another`] };
      }),
    ),
};

export const spelling: readonly DirectiveTransformation[] = [
  sentinels,
  continued,
  reordered,
  commas,
  listsSplit,
  listsMerged,
  pragmaOperator,
  pragmaMacro,
  namedNumbers,
  conditional,
  commented,
];
