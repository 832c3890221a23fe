// What a procedure does to its variables, in order: every read and write with the loops, branches and regions around
// it, calls of known functions followed.
import type {
  CallValue,
  Directive,
  DirectiveStep,
  ElementValue,
  Place,
  RegionStep,
  Step,
  Value,
  Variable,
} from '../../../syntax/procedures';
import { constructOf } from './regions';
import { type Scope, type Sources, variableAt } from './scope';
import { listsOf, partsOf } from './steps';
import {
  addressesIn,
  isPartOf,
  isRelated,
  isStructure,
  itemPath,
  joinPath,
  namedIn,
  pathTo,
  rootOfPath,
} from './paths';
import { append, inquiries, isHarmless, touchesArgumentsOnly } from '../../language';

/** One read or write of a variable. */
export interface Touch {
  /** The path as one text: `a`, `A->vals`, `s%x`. */
  readonly path: string;
  readonly mode: 'read' | 'write';
  /**
   * `scalar`; `element` with subscripts; `whole`: a Fortran array by its name; `pointer`: a C array's or pointer's own
   * address is read or set; `argument`: passed to a procedure, which reads or writes (or may read and write) the memory
   * behind it; `update`: by a directive.
   */
  readonly form: 'scalar' | 'element' | 'whole' | 'pointer' | 'argument' | 'update';
  readonly at: Place;
  readonly element?: ElementValue;
  /** The operator of `x op= v`. */
  readonly op?: string;
  readonly step: Step;
  /** Steps around it, outermost first. */
  readonly parents: readonly Step[];
  /** The compute construct it is in. */
  readonly region?: RegionStep;
  /** By a call, and there only inside compute constructs. */
  readonly device?: boolean;
  readonly call?: CallValue;
}

/** A call and how much is known of what it does. */
export interface Call {
  readonly call: CallValue;
  readonly step: Step;
  readonly parents: readonly Step[];
  readonly region?: RegionStep;
  readonly callee?: Scope;
  /** Touches nothing but its arguments, and those only by reading. */
  readonly harmless: boolean;
  /** Touches nothing but what its arguments lead to. */
  readonly argumentsOnly: boolean;
}

export interface Flow {
  readonly touches: readonly Touch[];
  readonly calls: readonly Call[];
  /** All compute constructs with what stands around them. */
  readonly regions: readonly { readonly step: RegionStep; readonly parents: readonly Step[] }[];
  readonly directives: readonly { readonly step: DirectiveStep; readonly parents: readonly Step[] }[];
  /** The structured data regions. */
  readonly dataRegions: Flow['regions'];
  /** Paths that may stand for the same memory as `path`, itself among them. */
  aliases(path: string): ReadonlySet<string>;
  /** Whether two paths may lead to the same memory, or one to a part of the other's. */
  mayMeet(path: string, other: string): boolean;
  /** Jumps other than returns at the end, which make the order of the text unsure. */
  readonly gotos: boolean;
}

const flows = new WeakMap<Scope, Flow>();
const none: Flow = {
  touches: [],
  calls: [],
  regions: [],
  directives: [],
  dataRegions: [],
  aliases: (path) => new Set([path]),
  mayMeet: isRelated,
  gotos: false,
};

/** The flow of one procedure. Never throws for lack of depth: recursive calls are taken for unknown. */
export function flowOf(scope: Scope): Flow {
  const known = flows.get(scope);
  if (known) return known;
  flows.set(scope, none); // what a recursion sees
  const made = createFlow(scope);
  flows.set(scope, made);
  return made;
}

function createFlow(scope: Scope): Flow {
  const fortran = scope.file.language === 'fortran';
  const touches: Touch[] = [];
  const calls: Call[] = [];
  const regions: Flow['regions'][number][] = [];
  const dataRegions: typeof regions = [];
  const directives: Flow['directives'][number][] = [];
  const links = new Map<string, string[]>();
  let gotos = false;
  let context: { readonly step: Step; readonly parents: readonly Step[]; readonly region?: RegionStep };

  const link = (a: string, b: string): void => {
    append(links, a, b);
    append(links, b, a);
  };
  const add = (touch: Omit<Touch, 'step' | 'parents' | 'region'>): void => {
    touches.push({ ...touch, ...context });
  };
  const formOf = (path: string, at: Place): Touch['form'] =>
    variableAt(scope, path, at.start)?.dimensions ? (fortran ? 'whole' : 'pointer') : 'scalar';

  /** Reads an expression. */
  function read(value: Value): void {
    switch (value.kind) {
      case 'name':
      case 'member': {
        const path = value.kind === 'name' ? value.name : value.path;
        if (value.kind === 'member') readInside(value.object);
        add({ path, mode: 'read', form: formOf(path, value), at: value });
        return;
      }
      case 'element':
        readInside(value.base);
        value.subscripts.forEach(read);
        add({ path: value.array, mode: 'read', form: 'element', at: value, element: value });
        return;
      case 'call':
        call(value);
        return;
      case 'other':
        value.parts.forEach(read);
        value.assigns?.forEach((target) => write(target));
        return;
      default:
        if (value.kind === 'unary' && value.op === '&') taken(value.operand);
        else partsOf(value).forEach(read);
    }
  }

  /** What has to be read to get at a part: subscripts and pointers on the way. */
  function readInside(value: Value): void {
    if (value.kind === 'element') {
      value.subscripts.forEach(read);
      readInside(value.base);
    } else if (value.kind === 'member') readInside(value.object);
    else if (value.kind === 'other' || value.kind === 'call' || value.kind === 'conditional') read(value);
  }

  /** `&x`, `&a[i]`: an address, behind which anything may be read and written where it goes. */
  function taken(value: Value): void {
    const path = pathTo(value);
    readInside(value);
    if (path) add({ path, mode: 'read', form: 'pointer', at: value });
  }

  /** `address`: the pointer itself is set, or memory is given to it. */
  function write(target: Value, op?: string, address = false): void {
    const path = pathTo(target);
    if (!path) {
      read(target);
      return;
    }
    if (target.kind === 'member') readInside(target.object);
    if (target.kind === 'element') {
      if (!address) readInside(target.base);
      target.subscripts.forEach(read);
    }
    const touch = {
      path,
      at: target,
      ...(target.kind === 'element' && !address
        ? { form: 'element' as const, element: target }
        : { form: address ? 'pointer' : formOf(path, target) }),
      ...(op === undefined ? {} : { op }),
    };
    if (op !== undefined) add({ ...touch, mode: 'read' });
    add({ ...touch, mode: 'write' });
  }

  function assign(step: Step & { readonly kind: 'assign' }): void {
    const path = pathTo(step.target);
    const pointer =
      path !== undefined &&
      step.target.kind !== 'element' &&
      variableAt(scope, path, step.target.start)?.dimensions !== undefined &&
      (!fortran || scope.file.text.slice(step.target.end, step.value.start).includes('=>'));
    read(step.value);
    // A structure that is made of a pointer leads to the same memory: `struct vector v = { a, n }`.
    const holder =
      !fortran &&
      !pointer &&
      path !== undefined &&
      step.target.kind !== 'element' &&
      /^(other|call)$/.test(step.value.kind) &&
      isStructure(variableAt(scope, path, step.target.start));
    if (step.declares && path && variableAt(scope, path, step.target.start)?.reference)
      for (const source of namedIn(step.value)) link(path, source);
    if ((pointer || holder) && path) for (const source of addressesIn(step.value, scope)) link(path, source);
    write(step.target, step.op, pointer);
  }

  function call(value: CallValue): void {
    const callee = calleeOf(scope.sources, value.name);
    const harmless = isHarmless(value.name, fortran) && !callee;
    calls.push({
      call: value,
      ...context,
      ...(callee ? { callee } : {}),
      harmless,
      argumentsOnly: harmless || (!callee && touchesArgumentsOnly(value.name, fortran)),
    });
    if (inquiries.has(value.name) && fortran && !callee) return;
    const summary = callee ? summaryOf(callee) : undefined;
    for (const [path, { variable, effect }] of summary?.outside ?? []) {
      const here = variableAt(scope, rootOfPath(path), value.start);
      // another variable of that name
      if (here && (here.at.start !== variable.at.start || here.uri !== variable.uri)) continue;
      addEffects(value, path, value, effect);
    }
    value.args.forEach((arg, index) => {
      const inner = arg.kind === 'unary' && arg.op === '&' ? arg.operand : arg;
      const path = pathTo(inner);
      const variable = path === undefined ? undefined : variableAt(scope, path, arg.start);
      // What a callee can change: memory behind pointers and arrays, structures and references; in Fortran every
      // variable.
      const behind =
        path !== undefined &&
        (inner !== arg ||
          (inner.kind !== 'element' &&
            (variable === undefined ||
              variable.dimensions !== undefined ||
              fortran ||
              (!!callee && !variable.dimensions))) ||
          (inner.kind === 'element' && (fortran || (variable?.dimensions?.length ?? 0) > inner.subscripts.length)));
      if (!behind || path === undefined) {
        read(arg);
        return;
      }
      readInside(inner);
      const known = harmless ? [{ ...unknownEffect, write: false }] : (summary?.parameters[index] ?? [unknownEffect]);
      for (const effect of known) {
        // A number is handed over by value.
        const copied =
          effect.scalar && effect.suffix === '' && !fortran && inner === arg && variable && !variable.dimensions;
        addEffects(value, joinPath(arg, path, effect.suffix), arg, copied ? { ...effect, write: false } : effect);
      }
    });
  }

  /** What a call does behind a path. */
  function addEffects(by: CallValue, path: string, at: Place, effect: ParameterEffect): void {
    const device = effect.host || context.region ? {} : { device: true };
    for (const mode of ['read', 'write'] as const)
      if (effect[mode]) add({ path, form: 'argument', at, call: by, mode, ...device });
  }

  function walk(steps: readonly Step[], parents: readonly Step[], region: RegionStep | undefined): void {
    for (const step of steps) {
      const here = { step, parents, ...(region ? { region } : {}) };
      context = here;
      switch (step.kind) {
        case 'assign':
          assign(step);
          break;
        case 'call':
          call(step.call);
          break;
        case 'if':
          read(step.cond);
          break;
        case 'loop':
          for (const value of [step.lower, step.upper, step.step, step.cond]) if (value) read(value);
          if (step.variable !== undefined) add({ path: step.variable, mode: 'write', form: 'scalar', at: step.header });
          // `for (double &x : values)`
          if (step.form === 'other' && step.cond)
            for (const variable of scope.procedure.variables)
              if (variable.reference && variable.at.start >= step.header.start && variable.at.start < step.header.end)
                for (const source of namedIn(step.cond)) link(variable.name, source);
          break;
        case 'jump':
          if (step.value) read(step.value);
          if (step.form === 'goto') gotos = true;
          break;
        case 'other':
          step.reads.forEach(read);
          for (const value of step.writes)
            write(
              value,
              undefined,
              fortran && /^(de)?allocate\b|^nullify\b/i.test(scope.file.text.slice(step.start, step.start + 12)),
            );
          break;
        case 'directive':
          directives.push({ step, parents });
          update(step.directive);
          break;
        case 'region':
          if (constructOf(step.directive)) regions.push({ step, parents });
          else if (step.directive.name === 'data' && !region) dataRegions.push({ step, parents });
          break;
        default:
      }
      const inside = step.kind === 'region' && constructOf(step.directive) && !region ? step : region;
      for (const list of listsOf(step)) walk(list, [...parents, step], inside);
    }
  }

  /** `update host(a)` writes the host's a, `update device(a)` reads it; so do the copies of enter and exit data. */
  function update(directive: Directive): void {
    for (const clause of directive.clauses) {
      const mode =
        directive.name === 'update'
          ? clause.name === 'device'
            ? 'read'
            : /^(host|self)$/.test(clause.name)
              ? 'write'
              : undefined
          : clause.name === 'copyin' && directive.name === 'enter data'
            ? 'read'
            : clause.name === 'copyout' && directive.name === 'exit data'
              ? 'write'
              : undefined;
      if (mode)
        for (const item of clause.argument?.items ?? []) {
          const path = itemPath(item);
          if (path) add({ path, mode, form: 'update', at: item });
        }
    }
  }

  walk(scope.procedure.body, [], undefined);
  const groups = new Map<string, ReadonlySet<string>>();
  return {
    touches,
    calls,
    regions,
    directives,
    dataRegions,
    gotos,
    aliases,
    mayMeet: (path, other) => [...aliases(path)].some((alias) => isRelated(alias, other)),
  };

  function aliases(path: string): ReadonlySet<string> {
    const before = groups.get(path);
    if (before) return before;
    const group = new Set([path]);
    for (const member of group) for (const other of links.get(member) ?? []) group.add(other);
    for (const member of group) groups.set(member, group);
    return group;
  }
}

// ---- procedures called ---------------------------------------------------------------------------------------------

/**
 * What a procedure does behind one of its parameters: `suffix` is the path behind the parameter's name (empty for what
 * it points to itself).
 */
interface ParameterEffect {
  readonly suffix: string;
  readonly scalar: boolean;
  readonly read: boolean;
  readonly write: boolean;
  /** Outside compute constructs too. */
  readonly host: boolean;
}
const unknownEffect: ParameterEffect = { suffix: '', scalar: false, read: true, write: true, host: true };
type MutableEffect = { -readonly [K in keyof ParameterEffect]: ParameterEffect[K] };
interface Summary {
  /** By number of the argument. */
  readonly parameters: readonly (readonly ParameterEffect[])[];
  /** Variables of a file, a module or the procedure around it that it or what it calls touches, by path. */
  readonly outside: ReadonlyMap<string, { readonly variable: Variable; readonly effect: ParameterEffect }>;
  /** It calls unknown code. */
  readonly unknown: boolean;
  /** It or a procedure that it calls has directives. */
  readonly directives: boolean;
}
const summaries = new WeakMap<Scope, Summary>();

/** The one known procedure that has this name. */
function calleeOf(sources: Sources, name: string): Scope | undefined {
  const found = sources.scopes.filter((scope) => scope.procedure.name === name);
  return found.length === 1 ? found[0] : undefined;
}

/** What a call of a procedure does to its arguments and to globals; undefined for one that calls itself. */
export function summaryOf(scope: Scope): Summary | undefined {
  const known = summaries.get(scope);
  if (known) return known;
  const flow = flowOf(scope);
  if (flow === none) return undefined;
  const { parameters } = scope.procedure;
  const effects = parameters.map(() => new Map<string, MutableEffect>());
  const outside = new Map<string, { variable: Variable; effect: MutableEffect }>();
  for (const touch of flow.touches) {
    if (touch.form === 'pointer' && touch.mode === 'read') continue;
    // That a pointer is set says nothing of what it pointed to before, nor of what it will point to.
    for (const path of touch.form === 'pointer' ? [touch.path] : flow.aliases(touch.path)) {
      const index = parameters.findIndex((name) => isPartOf(path, name));
      const variable = index < 0 ? variableAt(scope, rootOfPath(path), touch.at.start) : undefined;
      if (index < 0 && !(variable && isOutside(scope, variable))) continue;
      const suffix = path.slice((parameters[index] ?? path).length);
      const effect = (index < 0 ? outside.get(path)?.effect : effects[index]!.get(suffix)) ?? {
        suffix,
        scalar: touch.form === 'scalar',
        read: false,
        write: false,
        host: false,
      };
      effect[touch.mode] = true;
      if (!touch.region && !touch.device) effect.host = true;
      if (variable) outside.set(path, { variable, effect });
      else effects[index]!.set(suffix, effect);
    }
  }
  const made: Summary = {
    parameters: effects.map((one) => [...one.values()]),
    outside,
    unknown: flow.calls.some((call) => call.callee !== scope && callsUnknown(call)),
    directives:
      flow.directives.length + flow.regions.length + flow.dataRegions.length > 0 ||
      flow.calls.some(({ callee }) => callee && callee !== scope && hasDirectives(callee)),
  };
  summaries.set(scope, made);
  return made;
}

/** Whether a procedure or one that it calls has directives. */
export const hasDirectives = (scope: Scope): boolean => summaryOf(scope)?.directives === true;

/** May a call do anything, by itself or by what it calls? */
export function callsUnknown({ callee, argumentsOnly }: Call): boolean {
  return callee ? summaryOf(callee)?.unknown !== false : !argumentsOnly;
}

/** Declared elsewhere: at file scope, in a module, or in the procedure that this one is in. */
export function isOutside(scope: Scope, variable: Variable): boolean {
  return (
    variable.role === 'global' ||
    variable.uri !== scope.file.uri ||
    variable.at.start < scope.procedure.start ||
    variable.at.start >= scope.procedure.end
  );
}
