// Which specialisation of a class template its arguments choose, and what they give to that one's own parameters.
import type { StructDecl, TemplateArg, TypeSyntax } from '../../syntax/ast';
import { lastPart } from './program';
import { noBindings, typeName, type Bindings, type Type } from './types';

/** What an argument is: a type, the value of a constant, or unknown. */
export type Argument = Type | number | undefined;

interface Specialisation {
  readonly decl: StructDecl;
  readonly bindings: Bindings;
}

/** How types and constants are read; the type table's own. */
interface Reader {
  resolve(syntax: TypeSyntax, bindings: Bindings | undefined, within: string | undefined): Type;
  constant(arg: TemplateArg, bindings: Bindings | undefined): number | undefined;
}

type Answer = 'yes' | 'no' | 'open';
/** What a specialisation's own parameters were found to be. */
interface Found {
  readonly types: Map<string, Type>;
  readonly values: Map<string, number>;
}
/** One specialisation being compared with arguments. */
interface Matching {
  readonly decl: StructDecl;
  /** Of the own parameters. */
  readonly names: ReadonlySet<string>;
  readonly found: Found;
  readonly reader: Reader;
}

/**
 * The most special of `candidates` that fits the arguments; `primary` where none does; `open` where an argument that is
 * is unknown.
 */
export function chooseSpecialisation(
  candidates: readonly StructDecl[],
  args: readonly Argument[],
  outer: Bindings | undefined,
  reader: Reader,
): Specialisation | 'primary' | 'open' {
  let best: { readonly chosen: Specialisation; readonly weight: number } | undefined;
  let open = 0;
  for (const decl of candidates) {
    const patterns = decl.specialisedFor!;
    const found: Found = { types: new Map(), values: new Map() };
    const names = new Set((decl.templateParams ?? []).map(({ name }) => name));
    const matching: Matching = { decl, names, found, reader };
    const answers = patterns.map((pattern, at) => fits(pattern, args[at], matching));
    if (answers.includes('no')) continue;
    const weight = patterns.reduce((sum, pattern) => sum + weightOf(pattern, names), 0);
    if (answers.includes('open')) {
      open = Math.max(open, weight);
      continue;
    }
    const bindings: Bindings = names.size === 0 ? noBindings : { ...found, ...(outer ? { parent: outer } : {}) };
    if (!best || weight > best.weight) best = { chosen: { decl, bindings }, weight };
  }
  if (open > (best?.weight ?? 0)) return 'open';
  return best?.chosen ?? 'primary';
}

/** Are these the same type, template arguments included? */
export function isSameType(one: Type, other: Type): boolean {
  if (one.kind === 'struct' && other.kind === 'struct') {
    if (one.decl !== other.decl || one.name !== other.name) return false;
    return (one.decl?.templateParams ?? []).every(({ name }) => {
      const type = one.bindings?.types.get(name);
      const its = other.bindings?.types.get(name);
      if (type && its) return isSameType(type, its);
      return type === its && one.bindings?.values.get(name) === other.bindings?.values.get(name);
    });
  }
  if ((one.kind === 'pointer' || one.kind === 'reference') && one.kind === other.kind)
    return isSameType(one.to, other.to);
  if (one.kind === 'array' && other.kind === 'array')
    return one.length === other.length && isSameType(one.of, other.of);
  return one.kind === other.kind && typeName(one) === typeName(other);
}

function fits(pattern: TemplateArg, given: Argument, matching: Matching): Answer {
  // Types are kept without `const`, and arguments seldom have it.
  if (isConst(pattern)) return given === undefined ? 'open' : 'no';
  return fitsPlain(pattern, given, matching);
}

function fitsPlain(pattern: TemplateArg, given: Argument, matching: Matching): Answer {
  const name = nameOf(pattern);
  if (name !== undefined && matching.names.has(name)) return bound(name, given, matching.found);
  if (given === undefined) return 'open';
  if (typeof given === 'number') {
    const value = matching.reader.constant(pattern, noBindings);
    return value === undefined ? 'open' : value === given ? 'yes' : 'no';
  }
  return 'type' in pattern ? fitsType(pattern.type, given, matching) : 'open';
}

function bound(name: string, given: Argument, found: Found): Answer {
  if (given === undefined) return 'yes';
  if (typeof given === 'number') {
    const known = found.values.get(name);
    found.values.set(name, given);
    return known === undefined || known === given ? 'yes' : 'no';
  }
  const known = found.types.get(name);
  found.types.set(name, given);
  return known === undefined || isSameType(known, given) ? 'yes' : 'no';
}

function fitsType(pattern: TypeSyntax, given: Type, matching: Matching): Answer {
  if (given.kind === 'unknown') return 'open';
  switch (pattern.kind) {
    case 'pointer':
      if (given.kind !== 'pointer' || (isConst({ type: pattern.to }) && !given.const)) return 'no';
      return fitsPlain({ type: pattern.to }, given.to, matching);
    case 'reference':
      if (given.kind !== 'reference') return 'no';
      return fitsPlain({ type: pattern.to }, given.to, matching);
    case 'array':
      if (given.kind !== 'array') return 'no';
      if (pattern.size) {
        const length = fits({ expr: pattern.size }, given.length, matching);
        if (length !== 'yes') return length;
      }
      return fits({ type: pattern.of }, given.of, matching);
    case 'named': {
      if (!pattern.args?.length || pattern.scopeArgs) {
        const meant = matching.reader.resolve(pattern, noBindings, matching.decl.qualifiedName);
        return meant.kind === 'unknown' ? 'open' : isSameType(meant, given) ? 'yes' : 'no';
      }
      if (given.kind !== 'struct' || !given.decl) return 'no';
      if (lastPart(given.decl.qualifiedName) !== lastPart(pattern.name)) return 'no';
      if (given.decl.specialisedFor) return 'open';
      const answers = (given.decl.templateParams ?? []).map((param, at) => {
        const inner = pattern.args![at];
        if (!inner) return 'yes';
        const its = given.bindings?.types.get(param.name) ?? given.bindings?.values.get(param.name);
        return fits(inner, its, matching);
      });
      return answers.includes('no') ? 'no' : answers.includes('open') ? 'open' : 'yes';
    }
    default:
      return 'open';
  }
}

/** The lone name that an argument is. */
function nameOf(arg: TemplateArg): string | undefined {
  if ('expr' in arg) return arg.expr.kind === 'name' && !arg.expr.templateArgs ? arg.expr.name : undefined;
  return arg.type.kind === 'named' && !arg.type.args ? arg.type.name : undefined;
}

function isConst(arg: TemplateArg): boolean {
  return 'type' in arg && (arg.type.kind === 'named' || arg.type.kind === 'pointer') && !!arg.type.const;
}

/** How much of an argument is fixed, so that the more special of two matches is taken. */
function weightOf(arg: TemplateArg, names: ReadonlySet<string>): number {
  const own = isConst(arg) ? 1 : 0;
  const name = nameOf(arg);
  if (name !== undefined) return own + (names.has(name) ? 0 : 1);
  if ('expr' in arg) return 1;
  switch (arg.type.kind) {
    case 'pointer':
    case 'reference':
      return 1 + weightOf({ type: arg.type.to }, names);
    case 'array':
      return 1 + weightOf({ type: arg.type.of }, names);
    case 'named':
      return 1 + (arg.type.args ?? []).reduce((sum, inner) => sum + weightOf(inner, names), 0);
    default:
      return 1;
  }
}
