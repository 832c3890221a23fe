// `// warplens: hot` and `// warplens: cold`: what the user says of a function's or construct's time.
import { proceduresOf } from './acc';
import { once } from './language';
import type { Mark } from './model';
import type { SourceFile, TranslationUnit } from '../syntax/ast';
import { commentsOf, lineSpokenOf } from '../syntax/comments';
import { lineTable } from '../syntax/lines';
import type { Place, ProcedureFile, Step } from '../syntax/procedures';

interface Definition extends Place {
  readonly name: string;
  readonly nameStart: number;
}
/** Of OpenACC, with the directive that begins it. */
interface Construct extends Place {
  readonly directive: Place;
}

/** The marks of file `uri`, and those of functions in the other files of its unit. */
export function marksOfUnit(unit: TranslationUnit, uri: string): readonly Mark[] {
  return unit.files.flatMap((file) => (file.uri === uri ? marksOfFile(file, unit) : marksOfHeader(file)));
}

/** The marks of a Fortran file. */
export function marksOfFortran(file: ProcedureFile): readonly Mark[] {
  if (!mayHaveMarks(file.text)) return [];
  const definitions = file.procedures.map(({ nameAt, ...each }) => ({ ...each, nameStart: nameAt.start }));
  return marksIn(file, { definitions, constructs: constructsOf(file) }, file.fixedForm ? 'fixed' : 'free');
}

function marksOfFile(file: SourceFile, unit: TranslationUnit): readonly Mark[] {
  if (!mayHaveMarks(file.text)) return [];
  const procedures = proceduresOf(unit, file.uri);
  return marksIn(file, { definitions: definitionsOf(file), constructs: procedures ? constructsOf(procedures) : [] });
}

/** A header is searched once, not at each edit of a file that includes it. */
const marksOfHeader = once((file: SourceFile): readonly Mark[] =>
  mayHaveMarks(file.text) ? marksIn(file, { definitions: definitionsOf(file) }) : [],
);

function mayHaveMarks(text: string): boolean {
  return /warplens:/i.test(text);
}

function definitionsOf({ functions }: SourceFile): Definition[] {
  return functions
    .filter(({ body }) => body)
    .map(({ base, start, end, name, nameStart }) => ({
      start: base + start,
      end: base + end,
      name,
      nameStart: base + nameStart,
    }));
}

function constructsOf({ procedures }: ProcedureFile): Construct[] {
  const found: Construct[] = [];
  const visit = (steps: readonly Step[]): void => {
    for (const step of steps) {
      const directives = step.kind === 'region' ? [step.directive] : step.kind === 'loop' ? step.directives : [];
      for (const directive of directives)
        found.push({ directive, start: Math.min(directive.start, step.start), end: Math.max(directive.end, step.end) });
      if ('body' in step && step.body) visit(step.body);
      if (step.kind === 'if') visit([...step.then, ...(step.else ?? [])]);
    }
  };
  for (const { body } of procedures) visit(body);
  return found;
}

/** A comment that begins with our name and a word; `trip` is read with the loops. */
const marker = /^(?:\/\/|\/\*|[!cC*])[\s!/*]*warplens:[ \t]*([a-z][\w-]*)/i;

function marksIn(
  { uri, text }: Pick<SourceFile, 'uri' | 'text'>,
  owners: { readonly definitions: readonly Definition[]; readonly constructs?: readonly Construct[] },
  fortran?: 'free' | 'fixed',
): readonly Mark[] {
  const table = lineTable(text);
  const lineOf = (offset: number): number => table.positionAt(offset).line;
  const definitions = [...owners.definitions].sort((a, b) => a.nameStart - b.nameStart);
  const { constructs = [] } = owners;
  const found: Mark[] = [];
  for (const comment of commentsOf(text, table, fortran)) {
    const match = marker.exec(text.slice(comment.start, comment.end));
    const word = match?.[1]?.toLowerCase();
    if (!match || !word || word === 'trip') continue;
    const line = lineSpokenOf(text, table, comment, fortran);
    const { start } = table.lineSpan(line);
    const named = definitions.find(({ nameStart }) => nameStart >= start);
    /** The line begins the head of the definition, or is within it before the name. */
    const isHead = (nameStart: number): boolean =>
      fortran
        ? lineOf(nameStart) === line
        : !/[;{}]/.test(text.slice(start, Math.min(comment.start, nameStart))) &&
          !/[;{}]/.test(text.slice(Math.max(comment.end, start), nameStart));
    const owner: Construct | Definition | undefined =
      constructs.find(({ directive }) => lineOf(directive.start) <= line && line <= lineOf(directive.end)) ??
      (named && isHead(named.nameStart) ? named : undefined);
    const end = comment.start + match[0].length;
    found.push({
      word,
      at: { uri, start: comment.start, end: comment.end },
      wordAt: { uri, start: end - word.length, end },
      ...(owner ? { of: { uri, start: owner.start, end: owner.end } } : {}),
      ...(owner && 'name' in owner ? { name: owner.name } : {}),
    });
  }
  return found;
}
