// Text of a Fortran file as procedures with their directives.
import { type Language, Parser } from 'web-tree-sitter';
import { mostOfFortran, sayFortranExcess } from '../budget';
import { endedBy } from '../directives/check';
import type { ReadDirective } from '../directives/read';
import type { Directive, Place, Procedure, Prototype, ProcedureFile, Value, Variable } from '../procedures';
import { parseToRaw, type RawNode, type RawTree, vocabularyOf } from '../tree';
import { type DeclarationSources, declare, declareParameter, isSpecification, memberVariables } from './declarations';
import { typeNamed } from './types';
import { child, field, operands, type Reading, readValue, textOf } from './expressions';
import { type FortranModule, openScope, type Scope, variableOf } from './scope';
import { type FortranSettings, type FortranSource, linesApart, prepareFortran } from './source';
import type { OpenDirective, StatementReading } from './binding';
import { stepsOf } from './statements';
import { annotationsOf, errorsOf, lineStart } from './annotations';

export { isFixedFormFile, isFixedFormName, type FortranSettings } from './source';
export type { FortranModule } from './scope';

/** What a file asks of others. */
export interface FortranHost {
  /** The text of a file that is included, as the file names it. */
  readonly include?: (path: string, fromUri: string) => { readonly uri: string; readonly text: string } | undefined;
  /** A module that another file holds. */
  readonly module?: (name: string) => FortranModule | undefined;
}

export interface FortranFile extends ProcedureFile {
  readonly modules: ReadonlyMap<string, FortranModule>;
  /** Modules that it uses and does not hold, lower case. */
  readonly uses: readonly string[];
  /** Lines of branches of #if that were not chosen. */
  readonly inactive: readonly Place[];
  /** One sentence on what was left out of it; undefined where nothing was. */
  readonly excess?: string;
}

export type FortranParser = ReturnType<typeof makeFortranParser>;

/** Longer files are data, or hostile: they are not parsed. UTF-16 units. */
const longestText = 4 * 1024 * 1024;

export function makeFortranParser(language: Language, readDirective: ReadDirective) {
  const parser = new Parser();
  parser.setLanguage(language);
  const vocabulary = vocabularyOf(language);
  const parseRaw = (text: string): RawTree | undefined => {
    try {
      return parseToRaw(parser, vocabulary, text);
    } catch {
      parser.reset();
      return undefined;
    }
  };
  return {
    /** Never throws: a broken file gives fewer facts. */
    parse(
      uri: string,
      text: string,
      version: number,
      settings: FortranSettings & { readonly fixedForm: boolean },
      host: FortranHost = {},
    ): FortranFile {
      const nothing: FortranFile = {
        uri,
        version,
        text,
        language: 'fortran',
        ...(settings.fixedForm ? { fixedForm: true } : {}),
        procedures: [],
        prototypes: [],
        globals: [],
        directives: [],
        annotations: [],
        errors: [],
        modules: new Map(),
        uses: [],
        inactive: [],
      };
      if (text.length > longestText) return { ...nothing, errors: [{ start: 0, end: text.length }] };
      try {
        return parseFile(uri, text, version, settings, host, parseRaw, readDirective);
      } catch {
        return { ...nothing, errors: [{ start: 0, end: text.length }] };
      }
    },
  };
}

function parseFile(
  uri: string,
  text: string,
  version: number,
  settings: FortranSettings & { readonly fixedForm: boolean },
  host: FortranHost,
  parseRaw: (text: string) => RawTree | undefined,
  readDirective: ReadDirective,
): FortranFile {
  const source = prepareFortran(text, settings);
  const macros = new Set([...source.macros.map((macro) => macro.name), ...Object.keys(settings.defines)]);
  const directives: OpenDirective[] = source.directives.slice(0, mostOfFortran.directives).map((at) => {
    // The branches of an #if between its lines stand for one another.
    const directive = readDirective(source.chosen, at, {
      language: 'fortran',
      fixedForm: settings.fixedForm,
      isMacro: (word) => macros.has(word),
    });
    return { ...directive, problems: [...directive.problems] };
  });
  // The grammar wants a line break at the end.
  const tree = parseRaw(`${source.text}\n`);
  const procedures: Procedure[] = [];
  const modules = new Map<string, FortranModule>();
  const uses = new Set<string>();
  const top = openScope(uri);
  const included = new Set<string>();

  const sources: DeclarationSources = {
    module(name) {
      const own = modules.get(name);
      if (own) return own;
      uses.add(name);
      return host.module?.(name);
    },
    include(path, scope, role) {
      if (included.size > mostIncludes || !host.include) return;
      const file = host.include(path, scope.uri);
      if (!file || file.text.length > longestText || included.has(`${scope.uri} ${file.uri}`)) return;
      included.add(`${scope.uri} ${file.uri}`);
      const inner = prepareFortran(file.text, { ...settings, fixedForm: settings.fixedForm });
      const raw = parseRaw(`${inner.text}\n`);
      if (!raw) return;
      // What it declares is said to be in it; the names are those of the scope.
      const there: Scope = { ...scope, uri: file.uri };
      for (const node of specificationsIn(raw.root)) declare(node, { text: inner.text, scope: there }, role, sources);
      scope.implicit = there.implicit;
      scope.open = there.open;
    },
  };

  declareMacros(source, top, parseRaw);
  for (const { path } of source.includes) sources.include(path, top, 'global');
  const base = { text: source.text, written: text, directives, sources };
  const units = tree ? unitsOf(tree.root) : [];
  nameProcedures(units.filter(isProcedureNode), { text: source.text, scope: top });
  // Modules first: a program may be before the module it uses.
  const ordered = [
    ...units.filter((node) => node.type === 'module'),
    ...units.filter((node) => node.type !== 'module'),
  ];
  const routines = new Map<string, Directive[]>();
  const members = new Map<Variable, readonly Variable[]>();
  let previous = 0;
  const leftOut: RawNode[] = [];
  const startOf = new Map(
    units.map((node) => {
      const from = node.type === 'program' && !child(node, 'program_statement') ? previous : node.start;
      previous = node.end;
      return [node, from] as const;
    }),
  );
  for (const node of ordered) readUnit(node, top, startOf.get(node) ?? node.start);

  const errors = tree ? errorsOf(tree, text.length) : [{ start: 0, end: text.length }];
  const inactive = linesApart(text, source.chosen);
  forgiveHalves(text, inactive, directives, procedures, errors);
  // Some write `routine` above the procedure, as in C.
  for (const directive of directives) {
    if (
      directive.name !== 'routine' ||
      directive.argument ||
      units.some((unit) => directive.start >= (startOf.get(unit) ?? unit.start) && directive.start < unit.end)
    )
      continue;
    const below = units.find((unit) => unit.start > directive.start);
    const name = below && isProcedureNode(below) ? procedureName(below, { text: source.text, scope: top }) : undefined;
    if (name) noteRoutine(name.text, directive);
  }
  const withRoutines = procedures
    .sort((a, b) => a.start - b.start)
    .map((procedure) => {
      const named = routines.get(procedure.name);
      return named ? { ...procedure, routine: [...procedure.routine, ...named] } : procedure;
    });
  return {
    uri,
    version,
    text,
    language: 'fortran',
    ...(settings.fixedForm ? { fixedForm: true } : {}),
    procedures: withRoutines,
    prototypes: tree && /\binterface\b/i.test(text) ? interfaceBodies(tree.root, text).map(prototypeOf) : [],
    globals: [
      ...new Set([
        ...top.variables.values(),
        ...[...modules.values()].flatMap((module) => [...module.variables.values()]),
      ]),
    ],
    directives,
    annotations: annotationsOf(source, text),
    errors,
    modules,
    uses: [...uses],
    inactive,
    ...(source.directives.length > directives.length && { excess: sayFortranExcess('directives') }),
    ...(leftOut.length > 0 && { excess: sayFortranExcess('procedures') }),
  };

  function prototypeOf(node: RawNode): Prototype {
    const { start, end } = node;
    const { text: name, node: nameAt } = procedureName(node, { text: source.text, scope: top }) ?? { text: '', node };
    const isOwn = (one: Directive): boolean => one.name === 'routine' && start < one.start && one.start < end;
    const device = /\battributes\s*\(\s*(?:global|device)\b/i.test(text.slice(start, nameAt.start));
    return { name, nameAt, start, end, routine: directives.filter(isOwn), device };
  }

  function noteRoutine(name: string, directive: Directive): void {
    routines.set(name, [...(routines.get(name) ?? []), directive]);
  }

  function readUnit(node: RawNode, hostScope: Scope, from: number): void {
    if (node.type === 'module' || node.type === 'submodule') readModule(node, hostScope);
    else if (isProcedureNode(node)) readProcedure(node, hostScope, from);
  }

  function readModule(node: RawNode, hostScope: Scope): void {
    const scope = openScope(uri, hostScope);
    const reading: Reading = { text: source.text, scope };
    const statement = child(node, 'module_statement') ?? child(node, 'submodule_statement');
    const nameNode = statement && child(statement, 'name');
    const name = nameNode ? textOf(nameNode, reading).toLowerCase() : '';
    if (node.type === 'submodule' && statement) {
      const parent = child(statement, 'module_name');
      const words = parent ? textOf(parent, reading).toLowerCase().split(':')[0]!.trim() : '';
      const module = words === '' ? undefined : sources.module(words);
      if (module) importAll(module, scope);
      else scope.open = true;
    }
    for (const each of node.children) if (isSpecification(each)) declare(each, reading, 'global', sources);
    const inner = containedIn(node);
    nameProcedures(inner, reading);
    if (name !== '' && node.type === 'module')
      modules.set(name, {
        variables: new Map(scope.variables),
        types: new Map(scope.types),
        procedures: new Set(scope.procedures),
        open: scope.open,
      });
    // `routine(name)` in a module speaks of one of its procedures.
    const contains = child(node, 'internal_procedures')?.start ?? node.end;
    for (const directive of directives) {
      if (directive.start < node.start || directive.start >= contains || directive.name !== 'routine') continue;
      for (const named of namesOf(directive)) noteRoutine(named, directive);
    }
    for (const each of inner) readProcedure(each, scope, each.start);
  }

  function readProcedure(node: RawNode, hostScope: Scope, from: number): void {
    if (procedures.length >= mostOfFortran.procedures) {
      leftOut.push(node);
      return;
    }
    const scope = openScope(uri, hostScope);
    const reading: Reading = { text: source.text, scope };
    const statement = node.children.find((each) => statements.has(each.type));
    const name = procedureName(node, reading);
    const parameters: string[] = [];
    const list = statement && field(statement, 'parameters');
    const kind = node.type;
    for (const each of node.children) if (each.type === 'implicit_statement') declare(each, reading, 'local', sources);
    for (const each of list ? operands(list) : []) {
      const parameter = textOf(each, reading).toLowerCase();
      if (each.type !== 'identifier') continue;
      parameters.push(parameter);
      declareParameter(parameter, { start: each.start, end: each.end }, reading);
    }
    // Uses come first: a function's type may be of a module's kind.
    for (const each of node.children) if (each.type === 'use_statement') declare(each, reading, 'local', sources);
    if (kind === 'function' && statement && name) {
      const result = child(statement, 'function_result');
      const resultName = result ? operands(result)[0] : undefined;
      const type = field(statement, 'type');
      const at = resultName ?? name.node;
      const known = type ? typeNamed(type, reading) : undefined;
      declareParameter(textOf(at, reading).toLowerCase(), { start: at.start, end: at.end }, reading, 'local', known);
    }
    for (const each of node.children)
      if (isSpecification(each) && each.type !== 'implicit_statement' && each.type !== 'use_statement')
        declare(each, reading, 'local', sources);
    const inner = containedIn(node);
    nameProcedures(inner, reading);
    const routine: Directive[] = [];
    const aside: OpenDirective[] = [];
    const undeclared = (found: string, at: Place): void => {
      if (!scope.implicit || scope.open || variableOf(scope, found) || scope.procedures.has(found)) return;
      declareParameter(found, at, reading, 'local');
    };
    const body: StatementReading = {
      ...base,
      scope,
      undeclared,
      routine: (directive) => {
        const named = namesOf(directive);
        if (named.length === 0 || (name && named.includes(name.text))) routine.push(directive);
        else aside.push(directive);
      },
    };
    const end =
      node.children.find((each) => each.type === 'internal_procedures')?.start ??
      node.children.find((each) => /^end_\w+_statement$/.test(each.type))?.start ??
      node.end;
    const first = statement?.end ?? from;
    const steps = stepsOf(
      node.children.filter((each) => each !== statement),
      first,
      end,
      body,
    );
    for (const directive of aside) for (const named of namesOf(directive)) noteRoutine(named, directive);
    const own = [...scope.variables.values()];
    const shadowed = new Set(own.map((variable) => variable.name));
    const outer: Variable[] = [];
    for (let each: Scope | undefined = hostScope; each; each = each.host)
      for (const variable of each.variables.values())
        if (!shadowed.has(variable.name)) {
          shadowed.add(variable.name);
          // What the host procedure calls its parameter or its own is, seen from inside, shared.
          outer.push(variable.role === 'global' ? variable : { ...variable, role: 'global' });
        }
    const variables = [...own, ...outer];
    procedures.push({
      name: name?.text ?? 'main',
      nameAt: name ? { start: name.node.start, end: name.node.end } : { start: node.start, end: node.start },
      start: node.start,
      end: node.end,
      parameters,
      variables: [...variables, ...memberVariables(variables, scope, members)],
      routine,
      body: steps,
      routineInsertAt: insertionPoint(node, statement, end),
      ...(statement && /\battributes\s*\(\s*(?:global|device)\b/i.test(textOf(statement, reading))
        ? { device: true }
        : {}),
    });
    for (const each of inner) readProcedure(each, scope, each.start);
  }

  /** The line of the first statement after `use`, `import` and `implicit`. */
  function insertionPoint(node: RawNode, statement: RawNode | undefined, end: number): number {
    let after = statement?.end ?? node.start;
    for (const each of node.children)
      if (/^(use|import|implicit)_statement$/.test(each.type)) after = Math.max(after, each.end);
    let line = after;
    while (line < text.length && text.charCodeAt(line) !== 10 && line < end) line++;
    return text.charCodeAt(line) === 10 ? line + 1 : lineStart(text, Math.max(after, Math.min(end, text.length)));
  }
}

function namesOf({ argument }: Directive): readonly string[] {
  return argument?.items.map(({ text }) => text.trim().toLowerCase()) ?? [];
}

const mostIncludes = 200;
const statements: ReadonlySet<string> = new Set([
  'subroutine_statement',
  'function_statement',
  'program_statement',
  'module_procedure_statement',
]);

function isProcedureNode(node: RawNode): boolean {
  return ['subroutine', 'function', 'program', 'module_procedure'].includes(node.type);
}

/** The bodies of interfaces that are not abstract. */
function interfaceBodies(root: RawNode, text: string, depth = 0): RawNode[] {
  if (root.type === 'interface')
    return /^abstract\b/i.test(text.slice(root.start, root.start + 9)) ? [] : root.children.filter(isProcedureNode);
  return depth < 8 ? root.children.flatMap((node) => interfaceBodies(node, text, depth + 1)) : [];
}

/** Program units, those inside a place of error too. */
function unitsOf(root: RawNode, depth = 0): RawNode[] {
  return root.children.flatMap((node) =>
    isProcedureNode(node) || node.type === 'module' || node.type === 'submodule'
      ? [node]
      : node.type === 'ERROR' && depth < 10
        ? unitsOf(node, depth + 1)
        : [],
  );
}

function containedIn(node: RawNode): RawNode[] {
  return node.children.flatMap((each) => (each.type === 'internal_procedures' ? unitsOf(each) : []));
}

function* specificationsIn(root: RawNode, depth = 0): Generator<RawNode> {
  for (const node of root.children) {
    if (isSpecification(node)) yield node;
    else if ((node.type === 'program' || node.type === 'ERROR') && depth < 4) yield* specificationsIn(node, depth + 1);
  }
}

function procedureName(node: RawNode, reading: Reading): { readonly text: string; readonly node: RawNode } | undefined {
  const statement = node.children.find((each) => statements.has(each.type));
  const name = statement && (field(statement, 'name') ?? child(statement, 'name'));
  return name && { text: textOf(name, reading).toLowerCase(), node: name };
}

function nameProcedures(nodes: readonly RawNode[], reading: Reading): void {
  for (const node of nodes) {
    const name = procedureName(node, reading);
    if (name) reading.scope.procedures.add(name.text);
  }
}

function importAll(module: FortranModule, scope: Scope): void {
  for (const [name, variable] of module.variables) scope.variables.set(name, variable);
  for (const [name, type] of module.types) scope.types.set(name, type);
  for (const name of module.procedures) scope.procedures.add(name);
  if (module.open) scope.open = true;
}

/** Macros with a value are constants known everywhere. */
function declareMacros(source: FortranSource, scope: Scope, parseRaw: (text: string) => RawTree | undefined): void {
  for (const macro of source.macros) {
    const name = macro.name.toLowerCase();
    const plain = /^\(?\s*(-?\d+)\s*\)?$/.exec(macro.value);
    const at = { start: macro.start, end: macro.start + macro.name.length };
    const value: Value | undefined = plain
      ? { kind: 'number', ...at, value: Number.parseInt(plain[1]!, 10), integer: true }
      : /^[\w\s.+\-*/()]+$/.test(macro.value) && macro.value.length < 200
        ? expressionOf(macro.value, at, scope, parseRaw)
        : undefined;
    if (!value) continue;
    scope.variables.set(name, {
      name,
      at,
      uri: scope.uri,
      role: 'global',
      type: value.kind === 'number' && value.integer ? 'int' : 'unknown',
      ...(value.kind === 'number' && value.integer ? { elementBytes: 4 } : {}),
      floating: value.kind === 'number' && !value.integer,
      constant: true,
      value,
    });
  }
}

/**
 * An `end` has no beginning or a directive no end or loop only where all between them was read: not in a procedure that
 * the grammar gave up in part, nor where the other half may be in a branch of #if that was not chosen.
 */
function forgiveHalves(
  text: string,
  inactive: readonly Place[],
  directives: readonly OpenDirective[],
  procedures: readonly Place[],
  errors: readonly Place[],
): void {
  let hidden: string | undefined;
  for (const directive of directives) {
    const [half] = directive.problems.filter(({ code }) => /^(?:unmatched-end|missing-end|loop-missing)$/.test(code));
    if (!half) continue;
    const around = procedures.find(({ start, end }) => start <= directive.start && directive.end <= end);
    const broken = errors.some(({ start, end }) => start < (around?.end ?? text.length) && end > (around?.start ?? 0));
    hidden ??= inactive.map(({ start, end }) => text.slice(start, end)).join('\n');
    const other = `[!c*]\\$acc[ \\t]+${endedBy(directive) ?? `end ${directive.name}`}`;
    const sought = half.code === 'loop-missing' ? '(?:\\w+[ \\t]*:)?[ \\t\\d]*do' : other;
    if (broken || new RegExp(`^[ \\t]*${sought}\\b`, 'im').test(hidden))
      directive.problems.splice(directive.problems.indexOf(half), 1);
  }
}

function expressionOf(
  text: string,
  at: Place,
  scope: Scope,
  parseRaw: (text: string) => RawTree | undefined,
): Value | undefined {
  const written = `x=${text}\nend\n`;
  const tree = parseRaw(written);
  const assignment =
    tree && !tree.hasError
      ? tree.root.children[0]?.children.find((each) => each.type === 'assignment_statement')
      : undefined;
  const right = assignment && field(assignment, 'right');
  if (!right) return undefined;
  const value = readValue(right, { text: written, scope });
  // A name alone may stand for anything, a type or a keyword among them.
  return value.kind === 'number' || value.kind === 'binary' || value.kind === 'unary' ? { ...value, ...at } : undefined;
}
