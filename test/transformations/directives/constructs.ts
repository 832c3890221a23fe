// Other constructs that say the same: combined and split, kernels and parallel, structured and unstructured data.
import { joined, type Change, type Marked } from '../marked';
import type { Clause, Directive, RegionStep } from '../../../server/src/syntax/procedures';
import { type DirectiveTransformation, flat, indentOf, isOfLoop, lineEnd, partsOf, replaced, written } from './program';

const combined = /^(parallel|kernels|serial) loop$/;

const split: DirectiveTransformation = {
  name: 'combined directives split',
  apply: (program) =>
    program.changed(
      program.regions.flatMap(({ step }): Change[] => {
        const { directive, endDirective } = step;
        const construct = combined.exec(directive.name)?.[1];
        if (!construct || !program.directives.includes(directive)) return [];
        if (directive.clauses.some(({ name }) => name === 'device_type')) return [];
        const parts = (ofLoop: boolean): Marked[] =>
          directive.clauses
            .filter((clause) => isOfLoop(clause) === ofLoop)
            .map((clause) => flat(program, directive, clause));
        const indent = program.language === 'fixed' ? '' : indentOf(program, directive.start);
        const both = joined([
          written(program, directive.start, [construct, ...parts(false)]),
          `\n${indent}`,
          written(program, directive.start, ['loop', ...parts(true)]),
        ]);
        if (program.language === 'c') return [replaced(directive, both)];
        const end = lineEnd(program, step.body.at(-1)!.end);
        return [
          replaced(directive, both),
          endDirective
            ? replaced(endDirective, written(program, endDirective.start, [`end ${construct}`]))
            : { start: end, end, by: [`\n${indent}!$acc end ${construct}`] },
        ];
      }),
    ),
};

const joinedAgain: DirectiveTransformation = {
  name: 'split directives combined',
  apply: (program) =>
    program.changed(
      program.regions.flatMap(({ step }): Change[] => {
        const { directive, endDirective, body } = step;
        const [loop] = body;
        const inner = loop?.kind === 'loop' && body.length === 1 ? loop.directives[0] : undefined;
        if (!/^(?:parallel|kernels)$/.test(directive.name) || inner?.name !== 'loop' || directive === inner) return [];
        if ([directive, inner].some((one) => one.clauses.some(({ name }) => name === 'device_type'))) return [];
        const [name, ...clauses] = partsOf(program, directive);
        const whole = written(program, directive.start, [
          joined([name, ' loop']),
          ...clauses,
          ...partsOf(program, inner).slice(1),
        ]);
        const line = program.text.lastIndexOf('\n', inner.start - 1) + 1;
        const without: Change = { start: line, end: lineEnd(program, inner.end) + 1, by: [] };
        if (program.language !== 'c')
          return [
            replaced(directive, whole),
            without,
            ...(endDirective
              ? [replaced(endDirective, written(program, endDirective.start, [`end ${directive.name} loop`]))]
              : []),
          ];
        const braces = step.braces ? [program.text.indexOf('{', directive.end), step.end - 1] : [];
        if (braces.some((at) => !/[{}]/.test(program.text[at]!))) return [];
        return [replaced(directive, whole), ...braces.map((at) => ({ start: at, end: at + 1, by: [' '] })), without];
      }),
    ),
};

/** `parallel` says of each loop that it is independent; in `kernels` a clause says so. */
function construct(
  name: string,
  from: string,
  to: string,
  clausesOf: (clause: Clause) => boolean,
): DirectiveTransformation {
  return {
    name,
    apply(program) {
      const own = program.regions.filter(({ step }) => step.directive.name.split(' ')[0] === from);
      const within = (place: Directive): boolean =>
        own.some(({ step }) => step.start <= place.start && place.end <= step.end);
      const isWhole = ({ step }: { readonly step: RegionStep }): boolean =>
        program.loops
          .filter(({ step: loop }) => step.start <= loop.start && loop.end <= step.end)
          .every(({ step: loop }) =>
            loop.directives.some(
              (one) =>
                /loop$/.test(one.name) &&
                one.clauses.every(clausesOf) &&
                (from === 'parallel' || one.clauses.some(({ name: clause }) => /^(?:seq|independent)$/.test(clause))),
            ),
          );
      if (!own.length || !own.every(isWhole)) return undefined;
      return program.changed(
        program.directives
          .filter((one) => within(one) || own.some(({ step }) => step.endDirective === one))
          .flatMap((directive): Change[] => {
            const parts = directive.clauses
              .filter(({ name: clause }) => to === 'kernels' || clause !== 'independent')
              .map((clause) => flat(program, directive, clause));
            const isLoop = /(?:^| )loop$/.test(directive.name) && !/^end /.test(directive.name);
            const says =
              isLoop &&
              to === 'kernels' &&
              !directive.clauses.some(({ name: clause }) => /^(?:seq|independent)$/.test(clause));
            const [words] = partsOf(program, directive);
            const renamed = directive.name.replace(from, to);
            if (words.text.includes('(')) return [];
            return [
              replaced(
                directive,
                written(program, directive.start, [renamed, ...parts, ...(says ? ['independent'] : [])]),
              ),
            ];
          }),
      );
    },
  };
}

const entered: Readonly<Record<string, readonly [string | undefined, string | undefined]>> = {
  copy: ['copyin', 'copyout'],
  copyin: ['copyin', 'delete'],
  copyout: ['create', 'copyout'],
  create: ['create', 'delete'],
  present: [undefined, undefined],
};

const unstructured: DirectiveTransformation = {
  name: 'enter and exit data',
  apply: (program) =>
    program.changed(
      program.regions.flatMap(({ step }): Change[] => {
        const { directive, endDirective } = step;
        const clauses = directive.clauses.filter(({ name }) => name !== 'present');
        if (
          directive.name !== 'data' ||
          !clauses.length ||
          clauses.some(({ name, argument }) => !entered[name] || argument?.modifiers.length)
        )
          return [];
        if (program.language === 'c' && !step.braces) return [];
        const list = (clause: Clause, which: 0 | 1): Marked => {
          const first = clause.argument!.items[0]!.start;
          return joined([
            `${entered[clause.name]![which]!}(`,
            flat(program, directive, { start: first, end: clause.end }),
          ]);
        };
        const enter = written(program, directive.start, ['enter data', ...clauses.map((clause) => list(clause, 0))]);
        const exit = written(program, directive.start, ['exit data', ...clauses.map((clause) => list(clause, 1))]);
        const indent = program.language === 'fixed' ? '' : indentOf(program, directive.start);
        return [
          replaced(directive, enter),
          endDirective ? replaced(endDirective, exit) : { start: step.end, end: step.end, by: [`\n${indent}`, exit] },
        ];
      }),
    ),
};

export const constructs: readonly DirectiveTransformation[] = [
  split,
  joinedAgain,
  construct('parallel loop as kernels loop', 'parallel', 'kernels', ({ name }) => name !== 'device_type'),
  construct(
    'kernels loop as parallel loop',
    'kernels',
    'parallel',
    ({ name, argument }) => name !== 'device_type' && !(argument && /^(?:gang|worker|vector)$/.test(name)),
  ),
  unstructured,
];
