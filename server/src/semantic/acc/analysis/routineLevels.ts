// The levels of parallelism that procedures with a `routine` directive use, and who calls them.
import type {
  CallValue,
  Clause,
  ClauseItem,
  Directive,
  Place,
  Prototype,
  ProcedureFile,
} from '../../../syntax/procedures';
import { type Call, flowOf } from './dataflow';
import { type AccLoop, clausesFor } from './regions';
import type { Scope, Sources } from './scope';

/** The levels of a routine, weakest first: one calls only routines of its level and weaker ones. */
export const routineLevels = ['seq', 'vector', 'worker', 'gang'] as const;
export type Level = (typeof routineLevels)[number];

export function strongest(levels: readonly Level[]): Level {
  return routineLevels[Math.max(0, ...levels.map((level) => routineLevels.indexOf(level)))]!;
}

export function levelsIn(clauses: readonly Clause[]): Level[] {
  return routineLevels.filter((level) => clauses.some(({ name }) => name === level));
}

/** The `routine` directives of a procedure: its own, and those that name it. */
export function routinesOf(sources: Sources, { procedure }: Pick<Declared, 'procedure'>): readonly Directive[] {
  return [
    ...procedure.routine,
    ...sources.files.flatMap((file) =>
      file.directives.filter(
        (directive) =>
          directive.name === 'routine' &&
          (names(directive.argument?.items, procedure) ||
            directive.clauses.some((clause) => clause.name === 'bind' && names(clause.argument?.items, procedure))),
      ),
    ),
  ];
}

/** The level of `routine` directives; undefined without one, and where none is written. */
export function levelOf(directives: readonly Directive[]): Level | undefined {
  const levels = directives.flatMap((directive) => levelsIn([...clausesFor(directive).values()]));
  return levels.length > 0 ? strongest(levels) : undefined;
}

/** The name in a call, where it is written there. */
export function nameOfCall({ text }: ProcedureFile, { name, start, end }: CallValue): Place {
  const length = name.length;
  return text.slice(start, start + length).toLowerCase() === name.toLowerCase()
    ? { start, end: start + length }
    : { start, end };
}

/** Procedures with loops for lanes or more that are called in a loop. */
export function laneRoutinesIn({ region, step }: AccLoop): readonly Scope[] {
  return flowOf(region.scope).calls.flatMap(({ call, callee }) =>
    callee &&
    call.start >= step.start &&
    call.end <= step.end &&
    (levelOf(routinesOf(callee.sources, callee)) ?? 'seq') !== 'seq'
      ? [callee]
      : [],
  );
}

export function names(items: readonly ClauseItem[] | undefined, { name }: Prototype): boolean {
  const wordOf = ({ variable, text }: ClauseItem): string => (variable ?? text).replace(/["'\s]/g, '').toLowerCase();
  return items?.some((item) => wordOf(item) === name.toLowerCase()) === true;
}

export type Declared = Pick<Scope, 'file'> & { readonly procedure: Prototype };

/** The definition that a call enters or, where no known file has it, its prototypes. */
export function declarationsOf({ file, procedure, sources }: Scope, { call, callee }: Call): readonly Declared[] {
  if (callee) return [callee];
  // What a parameter stands for is not known.
  const files = sources.files.filter(
    (each) => each.language === file.language && !procedure.parameters.includes(call.name),
  );
  return files.flatMap((each) =>
    each.prototypes.flatMap((one) => (one.name === call.name ? [{ file: each, procedure: one }] : [])),
  );
}
