// The data environment of the GPU along the host's way: which variables have a copy there, and which copy is newer.
import { once } from '../../language';
import { type Span, spanIn } from '../../span';
import type {
  Clause,
  Directive,
  DirectiveProblem,
  LoopStep,
  Place,
  RegionStep,
  Step,
  Value,
  Variable,
} from '../../../syntax/procedures';
import { callsUnknown, flowOf, hasDirectives, type Touch } from './dataflow';
import { deallocates, type Domain, type Frame, isLent, keysOf, walkHost } from './hostWalk';
import {
  addressesIn,
  allocates,
  clauseNames,
  hasClause,
  isPartOf,
  isStructure,
  isWithin,
  itemPath,
  itemsOf,
  owns,
  rootOfPath,
  moving,
} from './paths';
import { meets, type Part, partAt, partIn } from './elementRanges';
import { constructOf } from './regions';
import { type Scope, variableAt } from './scope';
import { effectsOf, valuesIn } from './steps';
import { isDefaultPresent, isMain, ownedInside } from './transfers';

/** What is known of a variable; nothing where a caller, another name or unknown code decides. */
interface Copy {
  /** Directives that hold the copy; infinite where it is there and their number is not known. */
  readonly count?: number;
  /** The side that was written last, while the other one was not brought up to date. */
  readonly newer?: { readonly device: boolean; readonly at: Span; readonly by: string; readonly part: Part };
  readonly freed?: { readonly at: Place; readonly by: string };
  readonly broughtAt?: Span;
  /** The clause that brought it there takes nothing back. */
  readonly copiedIn?: true;
  /** Brought there while the structure that points to it was not. */
  readonly orphan?: string;
  /** Unknown code holds its address. */
  readonly escaped?: true;
}
type State = ReadonlyMap<string, Copy>;

/** In the state once code has run that may do anything to variables outside of procedures, or to all. */
const outsideUnknown = 'outside';
const allUnknown = 'all';

const asked = new Set<Scope>();

/** Where the host or the GPU uses a copy that is not there or not the newest, on every way to the place. */
export const outOfStep = once((scope: Scope): ReadonlyMap<string, DirectiveProblem> => {
  const problems = new Map<string, DirectiveProblem>();
  if (scope.procedure.routine.length || scope.procedure.device || !hasDirectives(scope) || flowOf(scope).gotos)
    return problems;
  asked.add(scope);
  let last: State | undefined;
  try {
    last = walkHost(scope, domainOf(scope, problems), new Map<string, Copy>());
  } finally {
    asked.delete(scope);
  }
  for (const { freed, count, broughtAt } of last?.values() ?? [])
    if (freed && count && broughtAt && Number.isFinite(count))
      problems.set(`freed ${freed.at.start}`, {
        code: 'freed-present',
        at: freed.at,
        data: { name: scope.file.text.slice(freed.at.start, freed.at.end), by: freed.by },
        relatedAt: broughtAt,
      });
  return problems;
});

function released({ orphan: _, ...copy }: Copy, all: boolean): Copy {
  const { count = Infinity } = copy;
  if (count === Infinity) return {};
  return all || count <= 1 ? { count: 0 } : { ...copy, count: count - 1 };
}

/** Whether a clause copies what is on the GPU already, too. */
export const copiesAlways = ({ argument }: Clause, to: 'in' | 'out'): boolean =>
  argument?.modifiers.some(({ name }) => name === 'always' || name === `always${to}`) === true;

const without = ({ newer: _, ...copy }: Copy): Copy => copy;

function domainOf(analysed: Scope, problems: Map<string, DirectiveProblem>): Domain<State> {
  /** Reports at the place, or at the call that leads to it where the procedure alone is not at fault. */
  function report(frame: Frame, problem: DirectiveProblem): void {
    const { code, at } = problem;
    const place = `${code} ${at.start}`;
    const isKnown = frame.calls.some(({ callee }) => callee && !asked.has(callee) && outOfStep(callee).has(place));
    const here = frame.calls[0]?.call ?? at;
    if (!isKnown) problems.set(`${code} ${here.start}`, { ...problem, at: here });
  }
  const set = (state: State, key: string, copy: Copy): State =>
    state.get(key)?.escaped && !copy.escaped ? state : new Map(state).set(key, copy);
  const mapped = (state: State, change: (copy: Copy, key: string) => Copy): State =>
    new Map([...state].map(([key, copy]) => [key, copy.escaped ? copy : change(copy, key)]));

  /** The variable's key and what is known of it; undefined where another name may lead to its memory. */
  function find(frame: Frame, state: State, path: string, at: Place) {
    const { scope } = frame;
    const variable = variableAt(scope, path, at.start) ?? variableAt(scope, rootOfPath(path), at.start);
    const key = frame.keyOf(path, at);
    if (!key || !variable || variable.reference || !isOneObject(scope, path, variable, at)) return undefined;
    if (flowOf(scope).aliases(path).size > 1 || isShared(scope, path, at)) return undefined;
    // A procedure's `declare` holds while it runs.
    const isGlobal = variable.role === 'global';
    if (declaresOf(scope, path).some((clause) => !isGlobal || clause.name !== 'create')) return undefined;
    const copy = state.get(key) ?? initial(frame, state, path, at);
    return copy.escaped ? undefined : { key, copy };
  }

  /** Before anything is done to it. */
  function initial(frame: Frame, state: State, path: string, at: Place): Copy {
    const { scope } = frame;
    const root = rootOfPath(path);
    const variable = variableAt(scope, root, at.start)!;
    if (state.has(allUnknown)) return {};
    if (declaresOf(scope, path).length) return { count: Infinity };
    if (root !== path) {
      // A member is as new as its structure, or as the memory that a pointer was set to.
      const copy = state.get(frame.keyOf(root, at) ?? '');
      if (copy ? copy.count === undefined : variable.dimensions) return {};
      if (variable.dimensions) return { count: 0 };
    }
    if (variable.role === 'parameter') return {};
    if (variable.role === 'local' && !isStatic(scope, variable)) return { count: 0 };
    return isMain(analysed) && !state.has(outsideUnknown) ? { count: 0 } : {};
  }

  function withoutNews(frame: Frame, state: State, path: string, at: Place): State {
    const keys = keysOf(frame, path, at);
    return mapped(state, (copy, key) => (keys.includes(key) ? without(copy) : copy));
  }

  /** Unknown from here on, its parts included. */
  function forget(frame: Frame, state: State, path: string, at: Place, to: Copy = {}): State {
    const keys = keysOf(frame, path, at);
    const rest = mapped(state, (copy, other) => (keys.some((key) => isPartOf(other, key)) ? to : copy));
    return keys.reduce((all, key) => set(all, key, to), rest);
  }

  const isPresent = (copy: Copy | undefined): boolean => (copy?.count ?? 0) > 0;

  /** What is known of the structure that a path is a member of. */
  const parentOf = (frame: Frame, state: State, path: string, at: Place): Copy | undefined =>
    lastMember.test(path) ? find(frame, state, path.replace(lastMember, ''), at)?.copy : undefined;

  /** What the clauses of a directive do as it begins. */
  function begin(frame: Frame, directive: Directive, from: State): State {
    let state = from;
    const { scope } = frame;
    for (const clause of directive.clauses)
      for (const item of clause.argument?.items ?? []) {
        const { name } = clause;
        const path = itemPath(item);
        const found = path && find(frame, state, path, item);
        if (!path || !found) continue;
        const { key } = found;
        const isCopied = copiesAlways(clause, directive.name === 'exit data' ? 'out' : 'in');
        const copy = isCopied ? without(found.copy) : found.copy;
        const data = { name: path, clause: `${directive.name} ${name}`.replace(/^(?!exit).* (?=present)/, '') };
        if (moving.test(name) && directive.name !== 'exit data') {
          if (copy.count === 0 && directive.name.endsWith('data'))
            for (const [other, { orphan }] of state)
              if (orphan && other !== key && isPartOf(other, key))
                report(frame, { code: 'attached-before', at: item, data: { name: path, member: orphan } });
          const isOrphan = parentOf(frame, state, path, item)?.count === 0 && !isAttached(scope);
          state = set(state, key, {
            ...(copy.count ? copy : {}),
            count: copy.count === undefined ? Infinity : copy.count + 1,
            broughtAt: spanIn(scope.file, directive),
            ...(!copy.count && name === 'copyin' && { copiedIn: true }),
            ...(isOrphan && { orphan: path }),
          });
        } else if (/^(present|delete|copyout|host|self|device)$/.test(name)) {
          if (copy.freed && directive.name === 'exit data')
            report(frame, { code: 'freed-before', at: item, data: { name: path, by: copy.freed.by } });
          else if (copy.count === 0 && !hasClause(directive, /^(if_present|if)$/))
            report(frame, { code: directive.name === 'exit data' ? 'no-effect' : 'absent', at: item, data });
          if (name === 'present') state = set(state, key, { ...copy, count: copy.count || Infinity });
          else if (directive.name === 'update') state = withoutNews(frame, state, path, item);
          else if (directive.name === 'exit data')
            // A copy that is let go without a copy back may have been meant to differ.
            state = set(state, key, released(copy, hasClause(directive, /^finalize$/)));
        }
        if (hasClause(directive, /^(if|if_present)$/)) state = forget(frame, state, path, item);
      }
    return state;
  }

  /** What the end of a construct or data region does to what its clauses name. */
  function end(frame: Frame, directive: Directive, before: State, from: State): State {
    let state = from;
    for (const { clause, item } of directive.clauses.flatMap((clause) =>
      moving.test(clause.name) ? (clause.argument?.items ?? []).map((item) => ({ clause, item })) : [],
    )) {
      const path = itemPath(item);
      const found = path && find(frame, state, path, item);
      if (!found) continue;
      const { count: outer } = before.get(found.key) ?? initial(frame, before, path, item);
      const { count: inner = outer } = found.copy;
      const count = outer === undefined || inner === undefined ? undefined : Math.max(0, inner - 1);
      const isCreated = clause.name === 'create';
      const { newer, freed, copiedIn } = copiesAlways(clause, 'out') ? without(found.copy) : found.copy;
      state = set(state, found.key, {
        ...(count === undefined ? {} : { count }),
        ...(newer && (count || (newer.device && isCreated)) && { newer }),
        ...(freed && { freed }),
        ...(count && copiedIn && { copiedIn }),
      });
    }
    return state;
  }

  /** What a compute construct reads and writes on the GPU. */
  function compute(frame: Frame, step: RegionStep, from: State): State {
    const { scope } = frame;
    const { directive } = step;
    const { accesses } = effectsOf(step.body);
    const touches = flowOf(scope).touches.filter((touch) => touch.region === step && touch.form !== 'scalar');
    let state = begin(frame, directive, from);
    for (const path of new Set(touches.map((touch) => touch.path))) {
      const found = find(frame, state, path, step);
      const variable = variableAt(scope, path, step.start);
      if (!found || !variable?.dimensions || owns(directive.clauses, path) || ownedInside(step, path)) continue;
      if (isWithin(variable, step)) continue;
      const { key } = found;
      const isNamed = directive.clauses.some(({ argument }) => argument?.items.some((item) => itemPath(item) === path));
      const isTaken = found.copy.count === undefined && !isNamed && isDefaultPresent(step);
      const copy = isTaken ? { ...found.copy, count: Infinity } : found.copy;
      const first = touches.find((touch) => touch.path === path && touch.form === 'element');
      const isAbsent = copy.count === 0 && variable.pointer && !isNamed && !isAttached(scope);
      if (isAbsent && first && isPresent(parentOf(frame, state, path, step)))
        report(frame, {
          code: 'member-absent',
          at: first.at,
          data: { name: path.replace(lastMember, ''), member: path },
        });
      const isMoved = itemsOf(directive, moving).some((item) => itemPath(item) === path);
      const wasPresent = !isMoved || isPresent(from.get(key) ?? initial(frame, from, path, step));
      if (!isPresent(copy) || !wasPresent) {
        state = set(state, key, without(copy));
        continue;
      }
      const own = accesses.filter((access) => access.element.array === path);
      const whole = touches.filter((touch) => touch.path === path && touch.form !== 'element');
      const [begins] = own;
      let { newer } = copy;
      if (newer && !newer.device && begins && !begins.write && !begins.conditional && !whole.length) {
        if (meets(partIn(scope, begins, step), newer.part))
          report(frame, { code: 'device-stale', at: begins.element, data: { name: path }, relatedAt: newer.at });
        newer = undefined;
      }
      const sure = own.find((access) => access.write && !access.conditional);
      const isWritten = touches.some((touch) => touch.path === path && touch.mode === 'write');
      if (isWritten && newer && !newer.device) newer = undefined;
      if (sure)
        newer = {
          device: true,
          at: spanIn(scope.file, directive),
          by: directive.name,
          part: partIn(scope, sure, step),
        };
      state = set(state, key, { ...without(copy), ...(newer && { newer }) });
    }
    return end(frame, directive, from, state);
  }

  function operate(step: Step, directive: Directive, state: State, frame: Frame): State {
    if (/^(set|shutdown)$/.test(directive.name)) return mapped(state, () => ({}));
    if (step.kind !== 'region' || !constructOf(directive)) return begin(frame, directive, state);
    if (!hasClause(directive, /^(if|self)$/)) return compute(frame, step, state);
    const touches = flowOf(frame.scope).touches.filter(({ region }) => region === step);
    return touches.reduce((rest, { path, at }) => forget(frame, rest, path, at), state);
  }

  function host(step: Step, touches: readonly Touch[], from: State, frame: Frame): State {
    const { scope } = frame;
    const { calls } = flowOf(scope);
    let state = from;
    for (const touch of touches) {
      const { path, form, mode, at, call } = touch;
      const isSet = form === 'scalar' && mode === 'write' && isStructure(variableAt(scope, path, at.start));
      if (isSet) state = forget(frame, state, path, at);
      if (form === 'update' || form === 'scalar' || isLent(touch)) continue;
      if (form === 'pointer' && mode === 'read') continue;
      const found = find(frame, state, path, at);
      const known = call && calls.find((each) => each.call === call);
      const freedBy = deallocates(scope, step) ? 'deallocate' : call?.name === 'free' ? 'free' : undefined;
      if (freedBy && mode === 'write') {
        if (found && !(call && call.args[0]?.kind === 'element') && at.end > at.start)
          state = set(state, found.key, { ...found.copy, freed: { at: frame.calls[0]?.call ?? at, by: freedBy } });
        continue;
      }
      if (freedBy) continue;
      if (form === 'pointer') {
        const isNew = step.kind !== 'assign' || isNewMemory(scope, step.value);
        const { count } = found?.copy ?? {};
        state = forget(frame, state, path, at);
        if (found && isNew) state = set(state, found.key, { count: count === Infinity ? count : 0 });
        continue;
      }
      if (call && form === 'argument' && !known?.harmless && !known?.callee) {
        const use = argumentUse(call.name, call.args, at);
        if (!known?.argumentsOnly || /^acc_/i.test(call.name))
          state = forget(frame, state, path, at, { escaped: true });
        else if (use === 'read' && mode === 'read') state = readOnHost(frame, state, touch);
        else if (use === 'write' && mode === 'write') state = writeOnHost(frame, state, touch);
        else if (use === undefined) state = withoutNews(frame, state, path, at);
      } else if (mode === 'read') state = readOnHost(frame, state, touch);
      else if (form === 'argument' || touch.device) state = withoutNews(frame, state, path, at);
      else state = writeOnHost(frame, state, touch);
    }
    return state;
  }

  function writeOnHost(frame: Frame, state: State, touch: Touch): State {
    const { path, at } = touch;
    const { scope } = frame;
    const found = find(frame, state, path, at);
    if (found && isPresent(found.copy) && found.copy.newer?.device !== true) {
      const newer = { device: false, at: spanIn(scope.file, at), by: '', part: partAt(scope, touch) };
      return set(state, found.key, { ...found.copy, newer });
    }
    return withoutNews(frame, state, path, at);
  }

  function readOnHost(frame: Frame, state: State, touch: Touch): State {
    const found = find(frame, state, touch.path, touch.at);
    const newer = found?.copy.newer;
    if (!found || !newer?.device || touch.device || !meets(partAt(frame.scope, touch), newer.part)) return state;
    const isOriginal = found.copy.copiedIn && !broughtBack(frame.scope.sources).has(lastName(touch.path));
    report(frame, {
      code: isOriginal ? 'host-original' : 'host-stale',
      at: touch.at,
      data: { name: touch.path, by: newer.by },
      relatedAt: newer.at,
    });
    return set(state, found.key, without(found.copy));
  }

  return {
    host,
    operate,
    leave: (region, before, state, frame) => end(frame, region.directive, before, state),
    call(call, state) {
      if (call.callee) return this.lost(state);
      if (!callsUnknown(call)) return state;
      return new Map(mapped(state, (copy, key) => (key.startsWith('outside ') ? {} : copy))).set(outsideUnknown, {});
    },
    enter: ({ file, procedure }, state) =>
      new Map(
        [...state].filter(([key]) => {
          const [kind, uri, start] = key.split(' ');
          return kind !== 'local' || uri !== file.uri || +start! < procedure.start || +start! >= procedure.end;
        }),
      ),
    enters: ({ procedure }) => !procedure.device && !procedure.routine.length,
    join(one, other) {
      const keys = new Set([...one.keys(), ...other.keys()]);
      const both = [...keys].map((key): readonly [string, Copy] => {
        const [a, b] = [one.get(key), other.get(key)];
        if (a === b || key === allUnknown || key === outsideUnknown) return [key, a ?? b!];
        if (!a || !b) return [key, a?.escaped || b?.escaped ? { escaped: true } : {}];
        if (a.escaped || b.escaped) return [key, { escaped: true }];
        return [
          key,
          {
            ...(a.count === b.count &&
              a.count !== undefined && { count: a.count, ...(a.broughtAt && { broughtAt: a.broughtAt }) }),
            ...(a.newer && a.newer.device === b.newer?.device && { newer: a.newer }),
            ...(a.freed && b.freed && { freed: a.freed }),
            ...((a.copiedIn || b.copiedIn) && { copiedIn: true }),
            ...(a.orphan && b.orphan && { orphan: a.orphan }),
          },
        ];
      });
      return new Map(both);
    },
    again: (_, state) => state,
    after(_loop: LoopStep, first, second) {
      return this.join(first, second);
    },
    lost: (state) => new Map(mapped(state, () => ({}))).set(allUnknown, {}),
  };
}

/** Whether a path leads to one array or structure whatever the subscripts on the way, which no method hands on. */
function isOneObject(scope: Scope, path: string, variable: Variable, at: Place): boolean {
  const { file } = scope;
  const { dimensions, pointer } = variable;
  if (
    dimensions
      ? pointer && dimensions.slice(1).some(({ extent }) => !extent) && file.language === 'c'
      : !isStructure(variable)
  )
    return false;
  for (const { index, 0: sign } of path.matchAll(/->|\.|%/g)) {
    const count = variableAt(scope, path.slice(0, index), at.start)?.dimensions?.length ?? 0;
    if (count > (sign === '->' ? 1 : 0)) return false;
  }
  const root = rootOfPath(path);
  if (dimensions && root === path) return true;
  return file.language === 'c'
    ? /\.[ch]$/.test(file.uri)
    : !new RegExp(`\\b${root}\\s*%\\s*\\w+\\s*\\(`, 'i').test(callsOf(file.text));
}
const callsOf = (text: string): string => (text.match(/\bcall\s[^\n]*/gi) ?? []).join('\n');

const declaresOf = ({ sources }: Scope, path: string) =>
  sources.files
    .flatMap(({ directives }) => directives.flatMap(({ name, clauses }) => (name === 'declare' ? clauses : [])))
    .filter((clause) => clauseNames(clause, path));

const lastMember = /(->|\.|%)\w+$/;
/** The last name of a path: a member's, whatever the structure. */
const lastName = (path: string): string => /\w+$/.exec(path)?.[0] ?? path;

/** The names that directives bring back from the GPU before the end of a region. */
const broughtBack = once(({ files }: Scope['sources']): ReadonlySet<string> => {
  const directives = files.flatMap((file) => file.directives).filter(({ name }) => /^(update|exit data)$/.test(name));
  const items = directives.flatMap((each) => itemsOf(each, /^(self|host|copyout)$/));
  return new Set(items.map((item) => lastName(itemPath(item) ?? '')));
});

/** What procedures set to memory that has another name already. */
const sharedNames = once((sources: Scope['sources']): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const scope of sources.scopes)
    for (const { form, mode, step, path, at } of flowOf(scope).touches)
      if (form === 'pointer' && mode === 'write' && step.kind === 'assign' && !isNewMemory(scope, step.value))
        if (path !== rootOfPath(path) || variableAt(scope, path, at.start)?.role === 'global')
          names.add(lastName(path));
  return names;
});

/** Whether other procedures, or a `common` block, may know the memory under another name. */
function isShared(scope: Scope, path: string, at: Place): boolean {
  const { text, language } = scope.file;
  const isReached = path !== rootOfPath(path) || variableAt(scope, path, at.start)?.role === 'global';
  return (
    (isReached && sharedNames(scope.sources).has(lastName(path))) || (language === 'fortran' && sharesBlocks.test(text))
  );
}
const sharesBlocks = /^\s*(?:common|equivalence)\s*[/(]/im;

const isAttached = (scope: Scope): boolean =>
  scope.sources.files.some(({ text }) => /\b(acc_)?attach\w*[ \t]*\(/i.test(text));

/** No memory yet, or what an allocation gives; a name that is not declared here may lead anywhere. */
function isNewMemory(scope: Scope, value: Value): boolean {
  const parts = valuesIn(value);
  const isAllocated = parts.some((part) => part.kind === 'call' && allocates(part.name));
  return (
    addressesIn(value, scope).length === 0 &&
    (isAllocated || !parts.some(({ kind }) => /^(name|member|element|call)$/.test(kind)))
  );
}

/** Whether a variable of a procedure keeps its memory between calls. */
function isStatic({ file, procedure }: Scope, { at, value }: Variable): boolean {
  if (file.language === 'c') return /\bstatic\b[^;{}]*$/.test(file.text.slice(procedure.start, at.start));
  return value !== undefined || /\bsave\b/i.test(file.text.slice(procedure.start, procedure.end));
}

const sends = /^mpi_(i?[bsr]?send|i?(all)?reduce|i?(all)?gatherv?|i?alltoall\w*|sendrecv|i?scan)$/i;

/** What a library does with the memory behind an argument, where that is sure. */
function argumentUse(name: string, args: readonly Value[], at: Place): 'read' | 'write' | undefined {
  const [first] = args;
  const index = args.findIndex(({ start, end }) => start <= at.start && at.end <= end);
  const inPlace = first?.kind === 'name' && /^mpi_in_place$/i.test(first.name);
  if (sends.test(name)) return index === (inPlace ? 1 : 0) ? 'read' : undefined;
  if (/^(fread|memset|memcpy|memmove|mpi_i?recv)$/i.test(name) && index === 0) return 'write';
  return index === (/^mem(cpy|move)$/.test(name) ? 1 : /^fwrite$/.test(name) ? 0 : -1) ? 'read' : undefined;
}
