// Directives of Fortran bound to the statements that they govern, by their ends or by what follows.
import { endedBy, loopMissing } from '../directives/check';
import type { Directive, Place, RegionStep, Step, DirectiveProblem } from '../procedures';
import type { RawNode } from '../tree';
import type { DeclarationSources } from './declarations';
import type { Reading } from './expressions';

export type Item =
  | { readonly node: RawNode; readonly directive?: undefined }
  | { readonly node?: undefined; readonly directive: OpenDirective };

// ---- directives ----------------------------------------------------------------------------------------------------

const regions: ReadonlySet<string> = new Set(['parallel', 'kernels', 'serial', 'data', 'host_data']);
const combined: ReadonlySet<string> = new Set(['parallel loop', 'kernels loop', 'serial loop']);

/** The steps of one statement, given the directives that govern it. */
export type ReadStatement = (
  node: RawNode,
  reading: StatementReading,
  directives: readonly Directive[],
  depth: number,
) => Step[];

/** The steps of a list in which statements and directives alternate; `statement` reads each statement. */
export function bind(
  items: readonly Item[],
  reading: StatementReading,
  depth: number,
  statement: ReadStatement,
): Step[] {
  let at = 0;
  /** Directives that wait in this list for their end, from the outside in. */
  const waiting: OpenDirective[] = [];
  /** Those for a loop that no loop follows: their ends are no further mistakes. */
  const loopless: OpenDirective[] = [];
  const misspelt = items.some((item) => item.directive && !item.directive.known);
  return list();

  function list(): Step[] {
    const steps: Step[] = [];
    while (at < items.length) {
      const item = items[at]!;
      if (item.node) {
        at++;
        push(steps, item.node, []);
        continue;
      }
      const { directive } = item;
      const ends = endOf(directive);
      if (ends !== undefined) {
        const begun = loopless.findLastIndex((each) => isEndOf(ends, each));
        if (begun >= 0) loopless.length = begun;
        else if (waiting.some((each) => closes(ends, each.name)) || ends.split(' ')[0] === waiting.at(-1)?.name)
          return steps;
        else if (!misspelt) directive.problems.push(unmatchedEnd(directive, waiting.at(-1)));
        at++;
        steps.push(standing(directive));
        continue;
      }
      at++;
      if (regions.has(directive.name)) steps.push(...region(directive));
      else if (combined.has(directive.name)) steps.push(...combinedLoop(directive));
      else if (directive.name === 'loop') {
        const loop = loopOf(directive);
        if (loop) push(steps, loop, [directive]);
        else steps.push(standing(directive));
        // Not in the standard, but compilers take it.
        const end = items[at]?.directive;
        if (loop && end && endOf(end) === 'loop') {
          at++;
          steps.push(standing(end));
        }
      } else if (directive.name === 'atomic') steps.push(atomic(directive));
      else if (directive.name === 'routine' && reading.routine) reading.routine(directive);
      else steps.push(standing(directive));
    }
    return steps;
  }

  function region(directive: OpenDirective): Step[] {
    waiting.push(directive);
    const body = list();
    waiting.pop();
    const end = items[at]?.directive;
    const ends = (end && endOf(end)) ?? '';
    const isRight = closes(ends, directive.name);
    // `end parallel loop` for `parallel`: the wrong word for this one rather than an end too many and one too few.
    if (isRight || (ends.split(' ')[0] === directive.name && !waiting.some((each) => closes(ends, each.name)))) {
      at++;
      if (!isRight && !misspelt) end!.problems.push(unmatchedEnd(end!, directive));
      return [regionStep(directive, body, end)];
    }
    if (!misspelt) directive.problems.push(missingEnd(directive));
    // Most likely it was just typed above the loop it is for.
    const own = body[0]?.kind === 'loop' ? 1 : 0;
    return [regionStep(directive, body.slice(0, own)), ...body.slice(own)];
  }

  function combinedLoop(directive: OpenDirective): Step[] {
    const loop = loopOf(directive);
    if (!loop) return [regionStep(directive, [])];
    const body: Step[] = [];
    push(body, loop, [directive]);
    const end = items[at]?.directive;
    const ends = end && endOf(end);
    if (ends === undefined || !isEndOf(ends, directive)) return [regionStep(directive, body)];
    if (ends !== directive.name)
      end!.problems.push({ code: 'short-end', at: end!.nameAt, data: { directive: end!.name, whole: directive.name } });
    at++;
    return [regionStep(directive, body, end)];
  }

  function loopOf(directive: OpenDirective): RawNode | undefined {
    const next = items[at]?.node;
    if (next?.type === 'do_loop') return items[at++]!.node;
    loopless.push(directive);
    if (!misspelt) directive.problems.push(loopMissing(directive));
    return undefined;
  }

  /** `end parallel` may be that of a region around. */
  function isEndOf(ends: string, { name }: Directive): boolean {
    return closes(ends, name) && (ends === name || !waiting.some((each) => each.name === ends));
  }

  function atomic(directive: OpenDirective): Step {
    const body: Step[] = [];
    let length = 0;
    while (length < 4 && items[at + length]?.node) length++;
    const end = items[at + length]?.directive;
    const closed = end !== undefined && endOf(end) === 'atomic';
    for (let left = closed ? length : Math.min(1, length); left > 0; left--) push(body, items[at++]!.node!, []);
    if (closed) at++;
    return regionStep(
      directive,
      body.map((step) => (step.kind === 'assign' ? { ...step, atomic: true } : step)),
      closed ? end : undefined,
    );
  }

  function push(steps: Step[], node: RawNode, directives: readonly Directive[]): void {
    steps.push(...statement(node, reading, directives, depth));
  }
  function standing(directive: OpenDirective): Step {
    return { kind: 'directive', ...stepPlace(directive, reading), directive };
  }
  function regionStep(directive: OpenDirective, body: readonly Step[], endDirective?: OpenDirective): RegionStep {
    const end = Math.max(directive.end, endDirective?.end ?? body.at(-1)?.end ?? 0);
    return {
      kind: 'region',
      ...stepPlace({ start: directive.start, end }, reading),
      directive,
      body,
      ...(endDirective ? { endDirective } : {}),
    };
  }
}

/** The problem of an `end` without its beginning; `open` is the directive that is still open there. */
function unmatchedEnd(end: Directive, open?: Directive): DirectiveProblem {
  return {
    code: 'unmatched-end',
    at: end.nameAt,
    data: { directive: end.name, ended: endedBy(end) ?? end.name, ...(open && { open: open.name }) },
  };
}

/** The problem of a directive that is never ended. */
function missingEnd(directive: Directive): DirectiveProblem {
  return {
    code: 'missing-end',
    at: directive.nameAt,
    data: { directive: directive.name, end: `end ${directive.name}` },
  };
}

/** What an end directive ends: `parallel loop` of `end parallel loop`. */
function endOf(directive: Directive): string | undefined {
  return endedBy(directive) ?? (directive.name.startsWith('end ') ? directive.name.slice(4) : undefined);
}
function closes(ends: string, name: string): boolean {
  return ends === name || (combined.has(name) && ends === name.split(' ')[0]);
}

/** A step's place, and the blanks that its line begins with. */
export function stepPlace({ start, end }: Place, { written }: StatementReading): Place & { readonly indent: string } {
  let line = start;
  while (line > 0 && written.charCodeAt(line - 1) !== 10 && written.charCodeAt(line - 1) !== 13) line--;
  let code = line;
  while (written.charCodeAt(code) === 32 || written.charCodeAt(code) === 9) code++;
  return { start, end, indent: written.slice(line, code) };
}

/** A directive whose problems may still grow while it is bound. */
export interface OpenDirective extends Directive {
  readonly problems: DirectiveProblem[];
}

export interface StatementReading extends Reading {
  /** The file as written, for indents. */
  readonly written: string;
  /** All of the file's, in order. */
  readonly directives: readonly OpenDirective[];
  /** `routine` directives here belong to the procedure and are not steps. */
  readonly routine?: (directive: OpenDirective) => void;
  readonly sources: DeclarationSources;
}
