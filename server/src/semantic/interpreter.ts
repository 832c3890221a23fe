// The block interpreter: runs a kernel's text over all threads of one block at once, with chosen numbers for what nothing fixes, and records what the warps do.
import type {
  Expr,
  ForStmt,
  FunctionDecl,
  Node,
  Stmt,
  TemplateArg,
  VarDecl,
  CallExpr,
  LaunchExpr,
  LambdaExpr,
} from '../syntax/ast';
import {
  arithmeticOf,
  binaryFunctions,
  common,
  compare,
  exceeds,
  floatResult,
  isUnsigned32,
  mixBits,
  promote,
  settleIfSmall,
  unaryFunctions,
} from './arithmetic';
import { sectorsOf, wavefrontsOf } from './cost';
import { decay, deduce, ownTemplateParams, stripReference } from './deduction';
import {
  blend,
  emptyMask,
  firstActive,
  fullMask,
  laneAt,
  map1,
  map2,
  select,
  settle,
  union,
  variesInBlock,
  variesInWarp,
  without,
  type Lanes,
  type Mask,
} from './lanes';
import type { Gpu } from './model';
import { lastPart, type Program } from './program';
import { assignedNames, containsLaunch, leaves, rootName, walk } from './syntaxFacts';
import {
  alignOf,
  boolType,
  boundType,
  boundValue,
  dim3Type,
  doubleType,
  floatType,
  intType,
  longType,
  noBindings,
  scalarNamed,
  sizeOf,
  typeName,
  unsignedType,
  voidType,
  type Bindings,
  type StructType,
  type Type,
  type TypeTable,
} from './types';
import { Taint, type Cell, type Frame, type LoopState, type MemoryBase, type Place, type Value } from './values';

export interface RunSetup {
  readonly program: Program;
  readonly types: TypeTable;
  readonly gpu: Gpu;
  readonly fn: FunctionDecl;
  readonly bindings: Bindings;
  /** Threads of the block by axis; all 1 for host code. */
  readonly block: readonly [number, number, number];
  /** Blocks of the grid by axis where known. */
  readonly grid: readonly [number | undefined, number | undefined, number | undefined];
  readonly args: readonly (number | undefined)[];
  /** Chosen numbers are multiples of 1024 in `aligned` and odd in `odd`: what differs between the two hangs on alignment. */
  readonly variant: 'aligned' | 'odd';
  /** Which block of the grid to look at where there are many: any small number. */
  readonly blockNumber?: number;
  readonly host: boolean;
  /** Thread operations (one for each started 32 threads of an evaluated node) after which a run stops where it is. */
  readonly budget: number;
  /** Host runs: functions already run through, which need no run of their own. */
  readonly reached?: Set<string>;
}

export interface AccessRecord {
  readonly node: Node;
  readonly expr: Expr | undefined;
  readonly fn: FunctionDecl;
  readonly space: MemoryBase['space'];
  readonly mode: 'load' | 'store' | 'atomic';
  readonly base: MemoryBase;
  readonly type: Type;
  readonly bytes: number;
  readonly pieces: number;
  readonly via?: Node;
  readonly loops: readonly LoopSeen[];
  /** Sums over warp instructions. */
  sectors: number;
  sectorsIdeal: number;
  wavefronts: number;
  wavefrontsIdeal: number;
  warps: number;
  lanes: number;
  taint: number;
  strideName?: string;
  /** Bytes between neighbouring active lanes: a number while all warps agree, null once they do not. */
  stride: number | null | undefined;
  /** Byte offsets of the lanes of the first warp seen with most active lanes. */
  sample: { addresses: Float64Array; lanes: Uint8Array; count: number; uniform: boolean } | undefined;
  /** The run reached it only by walking into an arm that no modelled thread takes. */
  shadow: boolean;
  /** It stands where data decide which lanes come. */
  byData: boolean;
}
/** `byData`: data decide how often it turns, so that later turns were not run. */
export interface LoopSeen {
  readonly stmt: Stmt;
  readonly fn: FunctionDecl;
  trips?: number;
  readonly variable?: string;
  byData?: boolean;
}

export interface BranchRecord {
  readonly cond: Expr;
  readonly statement: Stmt | Expr;
  readonly fn: FunctionDecl;
  readonly form: 'if' | 'for' | 'while' | 'do' | 'switch' | 'conditional';
  readonly loops: readonly LoopSeen[];
  warps: number;
  splits: number;
  /** Lanes active before, in warps that enter the arm, and lanes that go in. */
  thenBefore: number;
  thenActive: number;
  elseBefore: number;
  elseActive: number;
  taint: number;
  variesInWarp: boolean;
  variesInBlock: boolean;
  /** Largest number of lanes of one warp that went in, and of the block. */
  mostLanes: number;
  mostThreads: number;
  uncertain: boolean;
}
export interface BarrierRecord {
  readonly node: Node;
  readonly fn: FunctionDecl;
  readonly name: string;
  readonly scope: 'block' | 'warp';
  under?: { readonly cond: Expr; readonly fn: FunctionDecl };
  afterReturn?: { readonly cond: Expr; readonly fn: FunctionDecl };
  proven: boolean;
}
export interface LaunchRecord {
  readonly node: LaunchExpr | CallExpr;
  readonly fn: FunctionDecl;
  readonly kernelName: string;
  readonly templateNumbers?: readonly (number | undefined)[];
  readonly templateArgs: readonly TemplateArg[] | undefined;
  readonly bindings: Bindings;
  readonly grid: Value;
  readonly block: Value;
  readonly args: readonly Value[];
  readonly sharedBytes?: Value;
  readonly argExprs: readonly Expr[];
}
export interface RunResult {
  readonly accesses: ReadonlyMap<Node, AccessRecord[]>;
  readonly branches: ReadonlyMap<Expr, BranchRecord>;
  readonly barriers: ReadonlyMap<Node, BarrierRecord>;
  readonly launches: readonly LaunchRecord[];
  /** Keys of the functions the run went through. */
  readonly functions: ReadonlySet<string>;
  /** Did any recorded access hang on a chosen number? */
  readonly choseNumbers: boolean;
  readonly complete: boolean;
  /** What the run cost, in the unit of the budget. */
  readonly spent: number;
  /** What went wrong inside the run itself, for a log. */
  readonly failure?: unknown;
}

class Exhausted extends Error {}

const maximumCallDepth = 12;
/** Turns of a loop that are run where the end is known, by depth of nesting; linear loops repeat their pattern. */
const knownTurns = [64, 16, 8, 4];
const unknownTurns = 3;
const uncertain = Taint.loaded | Taint.hash | Taint.maybe;

interface Condition {
  readonly cond: Expr;
  readonly fn: FunctionDecl;
  readonly varies: boolean;
  readonly hangs: boolean /** `hangs`, and what it compares differs between the lanes of one warp, or between the threads of the block. */;
  readonly hangsInWarp: boolean;
  readonly hangsInBlock: boolean;
  readonly taint: number;
  readonly picks?: Mask;
}

/** Runs `setup.fn` once. Never throws on input; `complete` is false when the budget ran out or something unforeseen happened. */
export function run(setup: RunSetup): RunResult {
  return new Interpreter(setup).run();
}

class Interpreter {
  private readonly threads: number;
  private readonly full: Mask;
  private readonly cost: number;
  private left: number;
  private readonly accesses = new Map<Node, AccessRecord[]>();
  private readonly branches = new Map<Expr, BranchRecord>();
  private readonly barriers = new Map<Node, BarrierRecord>();
  private readonly launches: LaunchRecord[] = [];
  private readonly functions = new Set<string>();
  private readonly chosenNumbers = new Map<string, number>();
  private readonly bases = new Map<string, MemoryBase>();
  private readonly globals = new Map<string, Cell>();
  private readonly loopStack: LoopSeen[] = [];
  private readonly conditions: Condition[] = [];
  private pendingShared: { record: AccessRecord; offset: Lanes; bytes: number; mask: Mask; weight: number }[] = [];
  private shadow = 0;
  private unsure = 0;
  /** Arms run whose entry data decide: lanes of a warp may stay out, and nobody knows which. */
  private byData = 0;
  private choseNumbers = false;
  private failure: unknown;
  private earlyReturn: Condition | undefined;
  private readonly threadIndex: Record<'x' | 'y' | 'z', Value>;

  constructor(private readonly setup: RunSetup) {
    const [bx, by, bz] = setup.block;
    this.threads = bx * by * bz;
    this.full = fullMask(this.threads);
    this.cost = Math.ceil(this.threads / 32);
    this.left = setup.budget;
    const axis = (of: (linear: number) => number, extent: number): Value => {
      if (extent === 1) return { type: unsignedType, lanes: 0, taint: Taint.none };
      const lanes = new Float64Array(this.threads);
      for (let at = 0; at < this.threads; at++) lanes[at] = of(at);
      return { type: unsignedType, lanes, taint: Taint.thread };
    };
    this.threadIndex = {
      x: axis((t) => t % bx, bx),
      y: axis((t) => Math.floor(t / bx) % by, by),
      z: axis((t) => Math.floor(t / (bx * by)), bz),
    };
  }

  run(): RunResult {
    const { fn } = this.setup;
    let complete = true;
    try {
      const frame = this.frameFor(fn, this.setup.bindings, undefined, undefined, 0);
      fn.params.forEach((param, at) => {
        if (!param.name) return;
        const type = this.setup.types.resolve(param.type, frame.bindings, frame.within);
        frame.scopes[0]!.set(param.name, {
          name: param.name,
          type: stripReference(type),
          value: this.parameter(param.name, stripReference(type), this.setup.args[at], param),
          node: param,
          fn,
        });
      });
      this.functions.add(fn.key);
      this.setup.reached?.add(fn.key);
      if (fn.body) this.exec(fn.body, this.full, frame);
      this.flushShared();
    } catch (error) {
      complete = false;
      try {
        this.flushShared();
      } catch {
        /* the records so far stand */
      }
      this.failure = error instanceof Exhausted ? undefined : error;
    }
    return {
      accesses: this.accesses,
      branches: this.branches,
      barriers: this.barriers,
      launches: this.launches,
      functions: this.functions,
      choseNumbers: this.choseNumbers,
      complete,
      spent: this.setup.budget - Math.max(0, this.left),
      ...(this.failure === undefined ? {} : { failure: this.failure }),
    };
  }

  // ---- chosen numbers ----------------------------------------------------------------------------------------------

  /** A number for something uniform that nothing fixes: large against any thread index, so that guards pass, yet small enough that products of three stay exact. */
  private chosenNumber(key: string): number {
    let number = this.chosenNumbers.get(key);
    if (number === undefined) {
      const at = this.chosenNumbers.size;
      number = 1024 * (97 + 26 * (at % 64)) + (this.setup.variant === 'odd' ? 1 + 2 * at : 0);
      this.chosenNumbers.set(key, number);
    }
    return number;
  }
  private chosen(key: string, type: Type, taint = 0): Value {
    return this.unseen(type, key, Taint.chosen | taint);
  }
  /** A value of `type` that the text does not give: chosen numbers for scalars, memory of its own for pointers, a lazy structure otherwise. */
  private unseen(type: Type, key: string, taint: number, lanes?: Lanes): Value {
    switch (type.kind) {
      case 'pointer':
        return { type, lanes: lanes ?? 0, taint: taint & ~Taint.chosen, base: this.baseNamed(key, 'global', type.to) };
      case 'array':
        return {
          type: { kind: 'pointer', to: type.of },
          lanes: 0,
          taint: 0,
          base: this.baseNamed(key, 'unknown', type.of),
        };
      case 'struct':
        return { type, lanes: lanes ?? 0, taint, key };
      case 'reference':
        return this.unseen(type.to, key, taint, lanes);
      default:
        if (type.kind === 'scalar' && type.name === 'bool') return { type, lanes: lanes ?? 1, taint };
        return {
          type,
          lanes:
            lanes ??
            (type.kind === 'scalar' && type.float
              ? this.chosenNumber(key) / 1024 + 0.25
              : type.kind === 'scalar' && type.size === 1
                ? 8
                : this.chosenNumber(key)),
          taint,
          key,
        };
    }
  }
  private baseNamed(
    key: string,
    space: MemoryBase['space'],
    type?: Type,
    declaration?: MemoryBase['declaration'],
    name = key,
    restrict = false,
  ): MemoryBase {
    let base = this.bases.get(key);
    if (!base) {
      base = {
        kind: 'memory',
        id: this.bases.size + 1,
        space,
        name,
        ...(type ? { type } : {}),
        ...(declaration ? { declaration } : {}),
        ...(restrict ? { restrict } : {}),
        ...(space === 'local' ? { elements: new Map<number, Value>() } : {}),
      };
      this.bases.set(key, base);
    }
    return base;
  }
  private parameter(name: string, type: Type, known: number | undefined, node: Node): Value {
    if (known !== undefined && type.kind !== 'pointer' && type.kind !== 'struct')
      return { type: type.kind === 'unknown' ? intType : type, lanes: known, taint: 0 };
    if (type.kind === 'pointer')
      return {
        type,
        lanes: 0,
        taint: 0,
        base: this.baseNamed(
          name,
          this.setup.host ? 'unknown' : 'global',
          type.to,
          { fn: this.setup.fn, uri: this.setup.fn.uri, node },
          name,
          type.restrict,
        ),
      };
    if (type.kind === 'array')
      return {
        type: { kind: 'pointer', to: type.of },
        lanes: 0,
        taint: 0,
        base: this.baseNamed(name, this.setup.host ? 'unknown' : 'global', type.of, {
          fn: this.setup.fn,
          uri: this.setup.fn.uri,
          node,
        }),
      };
    return this.chosen(name, type);
  }

  // ---- frames, scopes, names ---------------------------------------------------------------------------------------

  private frameFor(
    fn: FunctionDecl,
    bindings: Bindings,
    self: Place | undefined,
    via: Node | undefined,
    depth: number,
  ): Frame {
    const within =
      fn.className ??
      (fn.qualifiedName.includes('::') ? fn.qualifiedName.slice(0, fn.qualifiedName.lastIndexOf('::')) : undefined);
    return {
      fn,
      scopes: [new Map()],
      bindings,
      ...(within ? { within } : {}),
      ...(self ? { self } : {}),
      depth,
      ...(via ? { via } : {}),
      loops: [],
    };
  }
  private spend(): void {
    if ((this.left -= this.cost) < 0) throw new Exhausted();
  }

  private lookup(name: string, frame: Frame): Cell | undefined {
    for (let at = frame.scopes.length - 1; at >= 0; at--) {
      const cell = frame.scopes[at]!.get(name);
      if (cell) return cell;
    }
    return undefined;
  }

  private namePlace(expr: Expr & { kind: 'name' }, frame: Frame): Place | undefined {
    const { name } = expr;
    const cell = this.lookup(name, frame);
    if (cell) return this.cellPlace(cell);
    if (name === 'this' && frame.self)
      return {
        kind: 'value',
        value: { type: { kind: 'pointer', to: frame.self.type }, lanes: 0, taint: 0, target: frame.self },
        type: { kind: 'pointer', to: frame.self.type },
      };
    if (frame.self && frame.self.type.kind === 'struct' && frame.self.type.fields.has(name))
      return this.fieldPlace(frame.self, name, expr);
    if (boundValue(frame.bindings, name) !== undefined) return undefined;
    return this.globalPlace(name, frame);
  }
  private cellPlace(cell: Cell): Place {
    if (cell.ref) return cell.ref;
    if (cell.type.kind === 'array' && cell.value?.base)
      return {
        kind: 'memory',
        base: cell.value.base,
        offset: cell.value.lanes,
        taint: cell.value.taint,
        type: cell.type,
        node: cell.node ?? { start: 0, end: 0 },
      };
    return { kind: 'cell', cell, path: [], type: cell.type };
  }
  private globalPlace(name: string, frame: Frame): Place | undefined {
    const candidates = this.setup.program.globals(name);
    const decl =
      candidates.find((candidate) => candidate.qualifiedName === name || candidate.name === lastPart(name)) ??
      candidates[0];
    if (!decl) return undefined;
    const uri = this.setup.program.unit.files.find((file) => file.globals.includes(decl))?.uri ?? this.setup.fn.uri;
    const type = this.setup.types.resolve(decl.type, frame.bindings, frame.within);
    const node: Node = decl;
    if (decl.space !== 'none' || (!this.setup.host && type.kind === 'array')) {
      const space =
        decl.space === 'shared'
          ? 'shared'
          : decl.space === 'constant'
            ? 'constant'
            : decl.space === 'none'
              ? decl.constant
                ? 'constant'
                : 'unknown'
              : 'global';
      const base = this.baseNamed(`::${decl.qualifiedName}`, space, type, { uri, node }, decl.name);
      // A scalar in device memory read by all threads: one place, whatever the type.
      return { kind: 'memory', base, offset: 0, taint: 0, type, node };
    }
    const constant =
      decl.constant || decl.constexpr ? this.setup.types.constant({ kind: 'name', name, start: 0, end: 0 }) : undefined;
    if (constant !== undefined) return { kind: 'value', value: { type, lanes: constant, taint: 0 }, type };
    let cell = this.globals.get(decl.qualifiedName);
    if (!cell) {
      cell = { name: decl.name, type, node };
      this.globals.set(decl.qualifiedName, cell);
      if (type.kind === 'array') cell.value = this.unseen(type, `::${decl.qualifiedName}`, Taint.chosen);
      else if (decl.init && (this.setup.host || decl.constant)) {
        const value = this.eval(decl.init, this.full, {
          scopes: [new Map()],
          bindings: noBindings,
          depth: 1,
          loops: [],
        });
        cell.value = decl.constant ? this.convert(value, type) : { ...this.convert(value, type), taint: value.taint };
      } else cell.value = this.chosen(`::${decl.qualifiedName}`, type);
    }
    return this.cellPlace(cell);
  }

  // ---- statements --------------------------------------------------------------------------------------------------

  /** Runs `stmt` for the threads of `mask`; returns those that go on to the next statement. */
  private exec(stmt: Stmt, mask: Mask, frame: Frame): Mask {
    if (mask.count === 0) return mask;
    this.spend();
    switch (stmt.kind) {
      case 'block': {
        frame.scopes.push(new Map());
        let active = mask;
        for (const inner of stmt.body) {
          active = this.exec(inner, active, frame);
          if (active.count === 0) break;
        }
        frame.scopes.pop();
        return active;
      }
      case 'decl':
        for (const variable of stmt.vars) this.declare(variable, mask, frame);
        return mask;
      case 'expr':
        this.eval(stmt.expr, mask, frame);
        return mask;
      case 'if':
        return this.execIf(stmt, mask, frame);
      case 'for': {
        frame.scopes.push(new Map());
        if (stmt.init) this.exec(stmt.init, mask, frame);
        const after = this.loop(stmt, stmt.cond, stmt.body, stmt.step, 'for', mask, frame);
        frame.scopes.pop();
        return after;
      }
      case 'while':
        return this.loop(stmt, stmt.cond, stmt.body, undefined, 'while', mask, frame);
      case 'do':
        return this.loop(stmt, stmt.cond, stmt.body, undefined, 'do', mask, frame);
      case 'rangeFor': {
        frame.scopes.push(new Map());
        this.eval(stmt.range, mask, frame);
        const type = this.setup.types.resolve(stmt.variable.type, frame.bindings, frame.within);
        frame.scopes.at(-1)!.set(stmt.variable.name, {
          name: stmt.variable.name,
          type: stripReference(type),
          value: this.chosen(`${stmt.variable.name}@${stmt.start}`, stripReference(type)),
          node: stmt.variable,
          ...(frame.fn ? { fn: frame.fn } : {}),
        });
        const state: LoopState = {};
        frame.loops.push(state);
        this.loopStack.push({ stmt, fn: frame.fn ?? this.setup.fn, variable: stmt.variable.name });
        this.exec(stmt.body, mask, frame);
        this.loopStack.pop();
        frame.loops.pop();
        frame.scopes.pop();
        return without(mask, frame.returned ?? emptyMask(this.threads));
      }
      case 'switch':
        return this.execSwitch(stmt, mask, frame);
      case 'case': {
        let active = mask;
        for (const inner of stmt.body) active = this.exec(inner, active, frame);
        return active;
      }
      case 'break':
      case 'continue': {
        const state = frame.loops.at(-1);
        if (this.unsure || this.shadow || !state) return emptyMask(this.threads);
        if (stmt.kind === 'break') state.breaks = state.breaks ? union(state.breaks, mask) : mask;
        else state.continues = state.continues ? union(state.continues, mask) : mask;
        return emptyMask(this.threads);
      }
      case 'return': {
        if (stmt.value) {
          if (frame.fn?.returns.kind === 'reference') frame.resultPlace = this.place(stmt.value, mask, frame);
          else {
            const value = this.eval(stmt.value, mask, frame);
            // Which value comes back hangs on the conditions the return stands under.
            let control = 0;
            let picks: Mask | undefined;
            for (const condition of this.conditions.slice(frame.conditionsBefore ?? 0)) {
              control |= condition.taint & ~(Taint.float | Taint.unknownStride);
              picks = condition.picks ?? picks;
            }
            if (this.unsure) control |= Taint.maybe;
            const previous = frame.result;
            // A return that data may have taken before leaves its value in some of the lanes.
            const into =
              this.unsure && picks
                ? picks
                : previous && previous.taint & Taint.maybe
                  ? (this.dataMask({ ...previous, lanes: 0 }, mask) ?? mask)
                  : mask;
            frame.result = previous ? this.merge(previous, value, into) : value;
            if (previous)
              frame.result = {
                ...frame.result,
                taint: frame.result.taint | (previous.taint & (uncertain | Taint.thread)),
              };
            if (control) frame.result = { ...frame.result, taint: frame.result.taint | control };
          }
        }
        if (frame.depth === 0 && !this.earlyReturn) {
          const condition = this.conditions.findLast((candidate) => candidate.varies || candidate.hangs);
          if (condition) this.earlyReturn = condition;
        }
        if (!this.unsure && !this.shadow) frame.returned = frame.returned ? union(frame.returned, mask) : mask;
        return emptyMask(this.threads);
      }
      case 'goto':
        return emptyMask(this.threads);
      case 'label':
        return this.exec(stmt.body, mask, frame);
      case 'asm': {
        stmt.inputs.forEach((input) => this.eval(input, mask, frame));
        stmt.outputs.forEach((output) => {
          const place = this.place(output, mask, frame);
          this.store(
            place,
            this.unseen(place.type, `asm@${output.start}`, Taint.chosen | Taint.maybe),
            mask,
            frame,
            output,
            false,
          );
        });
        if (/bar\.sync|barrier\.sync/.test(stmt.template)) this.barrier(stmt, 'bar.sync', 'block', mask, frame);
        return mask;
      }
      case 'try':
        return this.exec(stmt.body, mask, frame);
      case 'opaque':
        stmt.parts.forEach((part) => {
          if (isStatement(part)) this.exec(part, mask, frame);
          else this.eval(part, mask, frame);
        });
        return mask;
      case 'type':
      case 'empty':
        return mask;
    }
  }

  private declare(variable: VarDecl, mask: Mask, frame: Frame): void {
    const { types } = this.setup;
    let type = types.resolve(variable.type, frame.bindings, frame.within);
    const scope = frame.scopes.at(-1)!;
    const common = { name: variable.name, node: variable, ...(frame.fn ? { fn: frame.fn } : {}) };
    if (type.kind === 'reference') {
      if (variable.init) {
        const init =
          variable.init.kind === 'initList' && variable.init.elements.length === 1
            ? variable.init.elements[0]!
            : variable.init;
        const place = this.place(init, mask, frame);
        scope.set(
          variable.name,
          place.kind === 'value'
            ? { ...common, type: stripReference(place.type), value: place.value }
            : { ...common, type: place.type, ref: place },
        );
      }
      return;
    }
    const unsized = type.kind === 'array' && type.length === undefined;
    if (variable.space === 'shared' || type.kind === 'array') {
      const space =
        variable.space === 'shared'
          ? 'shared'
          : variable.space === 'constant'
            ? 'constant'
            : variable.storage === 'static' && variable.constant
              ? 'constant'
              : 'local';
      const fn = frame.fn ?? this.setup.fn;
      const key = `${fn.key}:${variable.name}@${variable.start}${space === 'local' ? `#${this.bases.size}` : ''}`;
      const base = this.baseNamed(
        key,
        this.setup.host ? 'unknown' : space,
        type,
        { fn, uri: fn.uri, node: variable },
        variable.name,
      );
      if (type.kind === 'array')
        scope.set(variable.name, {
          ...common,
          type,
          value: { type: { kind: 'pointer', to: type.of }, lanes: 0, taint: 0, base },
        });
      else
        scope.set(variable.name, {
          ...common,
          type,
          ref: { kind: 'memory', base, offset: 0, taint: 0, type, node: variable },
        });
      if (
        variable.init &&
        type.kind === 'array' &&
        space !== 'shared' &&
        variable.init.kind === 'initList' &&
        base.elements
      )
        this.fillArray(base, type, 0, variable.init, mask, frame);
      else if (variable.init && unsized === false) this.eval(variable.init, mask, frame);
      return;
    }
    let value: Value | undefined;
    if (variable.init) {
      if (variable.initStyle === '=' || variable.init.kind !== 'initList')
        value = this.eval(variable.init, mask, frame, type);
      else value = this.construct(type, variable.init.elements, mask, frame, variable);
    } else if (type.kind === 'struct')
      value =
        type === dim3Type || type.name === 'dim3'
          ? this.construct(type, [], mask, frame, variable)
          : this.emptyStruct(type);
    if (type.kind === 'unknown' && value)
      type = type.name === 'auto' || type.name === 'function' ? decay(value.type) : type;
    if (value) value = this.convert(value, type);
    scope.set(variable.name, { ...common, type, ...(value ? { value } : {}) });
  }

  private emptyStruct(type: StructType): Value {
    const fields = new Map<string, Value>();
    type.fields.forEach((field, name) => {
      if (field.type.kind === 'array')
        fields.set(name, {
          type: { kind: 'pointer', to: field.type.of },
          lanes: 0,
          taint: 0,
          base: this.baseNamed(
            `${type.name}.${name}#${this.bases.size}`,
            this.setup.host ? 'unknown' : 'local',
            field.type,
          ),
        });
    });
    return { type, lanes: 0, taint: 0, fields };
  }

  private fillArray(
    base: MemoryBase,
    type: Type & { kind: 'array' },
    offset: number,
    init: Expr & { kind: 'initList' },
    mask: Mask,
    frame: Frame,
  ): void {
    const size = sizeOf(type.of);
    if (size === undefined) return;
    init.elements.slice(0, 4096).forEach((element, at) => {
      if (type.of.kind === 'array' && element.kind === 'initList')
        this.fillArray(base, type.of, offset + at * size, element, mask, frame);
      else base.elements!.set(offset + at * size, this.convert(this.eval(element, mask, frame), type.of));
    });
    if (type.length !== undefined && type.of.kind !== 'array')
      for (let at = init.elements.length; at < Math.min(type.length, 4096); at++)
        base.elements!.set(offset + at * size, { type: type.of, lanes: 0, taint: 0 });
  }

  private execIf(stmt: Stmt & { kind: 'if' }, mask: Mask, frame: Frame): Mask {
    if (stmt.init) {
      frame.scopes.push(new Map());
      this.exec(stmt.init, mask, frame);
    }
    const cond = this.eval(stmt.cond, mask, frame);
    const after = this.fork(
      stmt.cond,
      stmt,
      'if',
      cond,
      mask,
      frame,
      (active) => this.exec(stmt.then, active, frame),
      stmt.else ? (active) => this.exec(stmt.else!, active, frame) : undefined,
      stmt.then,
      stmt.else,
    );
    if (stmt.init) frame.scopes.pop();
    return after;
  }

  /** Runs two arms under a condition: exactly where its lanes are known, both over all lanes where data or chosen numbers decide. */
  private fork(
    cond: Expr,
    statement: Stmt | Expr,
    form: BranchRecord['form'],
    value: Value,
    mask: Mask,
    frame: Frame,
    then: (active: Mask) => Mask,
    otherwise: ((active: Mask) => Mask) | undefined,
    thenStmt?: Stmt,
    elseStmt?: Stmt,
  ): Mask {
    const selects =
      (!thenStmt || selectsOnly(thenStmt)) &&
      (!elseStmt || selectsOnly(elseStmt)) &&
      (thenStmt ?? elseStmt) !== undefined;
    if (selects) this.selecting++;
    try {
      return this.forkArms(cond, statement, form, value, mask, frame, then, otherwise, thenStmt, elseStmt);
    } finally {
      if (selects) this.selecting--;
    }
  }
  /** Above zero within arms that the compiler turns into selects: the straight code around them goes on. */
  private selecting = 0;
  private forkArms(
    cond: Expr,
    statement: Stmt | Expr,
    form: BranchRecord['form'],
    value: Value,
    mask: Mask,
    frame: Frame,
    then: (active: Mask) => Mask,
    otherwise: ((active: Mask) => Mask) | undefined,
    thenStmt?: Stmt,
    elseStmt?: Stmt,
  ): Mask {
    this.flushShared();
    const fn = frame.fn ?? this.setup.fn;
    this.recordBranch(cond, statement, form, value, mask, fn);
    const varies = typeof value.lanes !== 'number' && variesInBlock(value.lanes, mask);
    const hanging =
      (value.taint & Taint.thread) !== 0 &&
      (value.taint & (Taint.chosen | Taint.loadedUniform | Taint.block | uncertain)) !== 0;
    const picks = this.dataMask(value, mask);
    const condition: Condition = {
      cond,
      fn,
      varies: varies || (value.taint & Taint.loaded) !== 0,
      hangs: hanging,
      hangsInWarp: hanging && this.comparesLanes(variesInWarp, cond, value, mask, frame),
      hangsInBlock: hanging && this.comparesLanes(variesInBlock, cond, value, mask, frame),
      taint: value.taint,
      ...(picks ? { picks } : {}),
    };
    const both =
      (value.taint & uncertain) !== 0 ||
      (!varies &&
        (value.taint & (Taint.chosen | Taint.loadedUniform)) !== 0 &&
        (value.taint & (Taint.thread | Taint.block)) === 0);
    this.conditions.push(condition);
    try {
      if (both) {
        const truth = typeof value.lanes === 'number' ? value.lanes !== 0 : true;
        const names = new Set<string>([
          ...(thenStmt ? assignedNames(thenStmt) : []),
          ...(elseStmt ? assignedNames(elseStmt) : []),
        ]);
        const before = this.snapshot(names, frame);
        this.unsure++;
        if (value.taint & (Taint.loaded | Taint.hash)) this.byData++;
        // The arm that the chosen numbers would take runs last, so that its values stand.
        const arms = truth ? [otherwise, then] : [then, otherwise];
        arms[0]?.(mask);
        this.flushShared();
        const first = this.snapshot(names, frame);
        this.restore(before);
        arms[1]?.(mask);
        this.flushShared();
        this.unsure--;
        if (value.taint & (Taint.loaded | Taint.hash)) this.byData--;
        const certain = (value.taint & uncertain) === 0;
        this.joinSnapshots(
          first,
          certain ? Taint.assumed : Taint.maybe,
          value.taint & (Taint.thread | Taint.block | Taint.chosen | Taint.loaded | Taint.hash | Taint.loadedUniform),
          picks && truth ? picks : picks ? without(this.full, picks) : undefined,
        );
        return mask;
      }
      const inside = select(mask, value.lanes, true);
      const outside = inside === mask ? emptyMask(this.threads) : without(mask, inside);
      const hangs = (value.taint & (Taint.chosen | Taint.block | Taint.loadedUniform)) !== 0;
      let after = emptyMask(this.threads);
      if (
        inside.count &&
        outside.count === 0 &&
        !otherwise &&
        thenStmt &&
        hangs &&
        value.taint & Taint.chosen &&
        leaves(thenStmt)
      ) {
        // A guard that the chosen numbers would fail, `if (x + offset >= 64) return;`: threads that get past it are what matters.
        this.runShadow(then, mask, assignedNames(thenStmt), frame);
        return mask;
      }
      if (inside.count) after = then(inside);
      else if (hangs && thenStmt && !isTrivial(thenStmt)) this.runShadow(then, mask, assignedNames(thenStmt), frame);
      else if (condition.hangs && thenStmt && frame.depth === 0 && leaves(thenStmt) && !this.loopStack.length)
        this.earlyReturn ??= condition;
      if (otherwise && outside.count) after = union(after, otherwise(outside));
      else if (!otherwise) after = union(after, outside);
      else if (hangs && elseStmt && !isTrivial(elseStmt))
        this.runShadow(otherwise, mask, assignedNames(elseStmt), frame);
      this.flushShared();
      // Control dependence: what the arms assigned now differs where the condition does.
      if (value.taint && (thenStmt || elseStmt))
        this.taintAssigned(
          thenStmt,
          elseStmt,
          value.taint & (Taint.thread | Taint.block | Taint.chosen | Taint.loadedUniform),
          frame,
        );
      return after;
    } finally {
      this.conditions.pop();
    }
  }

  private runShadow(arm: (active: Mask) => Mask, mask: Mask, names: ReadonlySet<string>, frame: Frame): void {
    if (this.shadow > 1) return;
    const before = this.snapshot(names, frame);
    this.shadow++;
    try {
      arm(mask);
      this.flushShared();
    } finally {
      this.shadow--;
    }
    this.restore(before);
  }

  private snapshot(
    names: ReadonlySet<string>,
    frame: Frame,
  ): { cell: Cell; value: Value | undefined; elements?: Map<number, Value> }[] {
    const saved: { cell: Cell; value: Value | undefined; elements?: Map<number, Value> }[] = [];
    const add = (cell: Cell | undefined): void => {
      if (!cell) return;
      const root = cell.ref?.kind === 'cell' ? cell.ref.cell : cell;
      const elements = root.value?.base?.elements;
      saved.push({ cell: root, value: root.value, ...(elements ? { elements: new Map(elements) } : {}) });
    };
    names.forEach((name) => add(this.lookup(name, frame)));
    if (frame.self?.kind === 'cell') add(frame.self.cell);
    return saved;
  }
  private restore(saved: ReturnType<Interpreter['snapshot']>): void {
    for (const { cell, value, elements } of saved) {
      if (value) cell.value = value;
      else delete cell.value;
      if (elements && value?.base?.elements) {
        value.base.elements.clear();
        elements.forEach((entry, key) => value.base!.elements!.set(key, entry));
      }
    }
  }
  /** Under a condition that data decide lane by lane: which lanes to take as going in. Any mixture serves, since none is known. */
  private dataMask(value: Value, mask: Mask): Mask | undefined {
    if (this.threads === 1 || (value.taint & (Taint.loaded | Taint.hash)) === 0) return undefined;
    if (typeof value.lanes !== 'number' && variesInWarp(value.lanes, mask)) return select(this.full, value.lanes, true);
    const bits = new Uint8Array(this.threads);
    let count = 0;
    for (let at = 0; at < this.threads; at++)
      if (Math.imul(at + 11, 0x9e3779b1) >>> 29 < 4) {
        bits[at] = 1;
        count++;
      }
    return { bits, count };
  }

  /** Joins the cells' present values with those of `other`; with `picks`, the present values on its lanes and the others elsewhere. */
  private joinSnapshots(other: ReturnType<Interpreter['snapshot']>, mark: number, taint: number, picks?: Mask): void {
    for (const { cell, value } of other) {
      if (!cell.value) {
        if (value) cell.value = { ...value, taint: value.taint | mark };
        continue;
      }
      if (!value || value === cell.value) continue;
      if (sameValue(value, cell.value)) {
        cell.value = { ...cell.value, taint: cell.value.taint | value.taint };
        continue;
      }
      if (value.fields || cell.value.fields) {
        cell.value = joinFields(cell.value, value, mark | taint);
        continue;
      }
      const mixed =
        picks && cell.value.base === value.base && !cell.value.fields && !value.fields
          ? { ...cell.value, lanes: blend(value.lanes, cell.value.lanes, picks) }
          : cell.value;
      cell.value = { ...mixed, taint: cell.value.taint | value.taint | mark | taint };
    }
  }
  private taintAssigned(thenStmt: Stmt | undefined, elseStmt: Stmt | undefined, taint: number, frame: Frame): void {
    if (!taint) return;
    for (const stmt of [thenStmt, elseStmt])
      if (stmt)
        for (const name of assignedNames(stmt)) {
          const cell = this.lookup(name, frame);
          if (cell?.value && !cell.ref && (cell.value.taint | taint) !== cell.value.taint)
            cell.value = { ...cell.value, taint: cell.value.taint | taint };
        }
  }

  /** `entered`: the lanes that came to a loop, of which `mask` are still turning; those that left it wait, which is time lost. */
  private recordBranch(
    cond: Expr,
    statement: Stmt | Expr,
    form: BranchRecord['form'],
    value: Value,
    mask: Mask,
    fn: FunctionDecl,
    entered: Mask = mask,
  ): void {
    if (this.setup.host || this.shadow) return;
    let record = this.branches.get(cond);
    if (!record) {
      record = {
        cond,
        statement,
        fn,
        form,
        loops: [...this.loopStack].reverse(),
        warps: 0,
        splits: 0,
        thenBefore: 0,
        thenActive: 0,
        elseBefore: 0,
        elseActive: 0,
        taint: 0,
        variesInWarp: false,
        variesInBlock: false,
        mostLanes: 0,
        mostThreads: 0,
        uncertain: false,
      };
      this.branches.set(cond, record);
    }
    record.taint |= value.taint;
    if (value.taint & uncertain) {
      record.uncertain = true;
      record.warps += this.cost;
      return;
    }
    if (typeof value.lanes === 'number') {
      record.warps += this.cost;
      if (value.lanes) {
        record.thenBefore += this.lanesOfWarpsIn(mask, entered);
        record.thenActive += mask.count;
        record.mostLanes = 32;
        record.mostThreads = Math.max(record.mostThreads, mask.count);
      } else {
        record.elseBefore += mask.count;
        record.elseActive += mask.count;
      }
      return;
    }
    let inBlock = 0;
    for (let warp = 0; warp < this.threads; warp += 32) {
      let active = 0;
      let inside = 0;
      let came = 0;
      const end = Math.min(this.threads, warp + 32);
      for (let at = warp; at < end; at++) {
        if (entered.bits[at]) came++;
        if (mask.bits[at]) {
          active++;
          if (value.lanes[at]) inside++;
        }
      }
      if (!active) continue;
      record.warps++;
      inBlock += inside;
      if (inside && inside < active) {
        record.splits++;
        record.variesInWarp = true;
      }
      if (inside) {
        record.thenBefore += Math.max(came, active);
        record.thenActive += inside;
        record.mostLanes = Math.max(record.mostLanes, inside);
      }
      if (inside < active) {
        record.elseBefore += active;
        record.elseActive += active - inside;
      }
    }
    record.mostThreads = Math.max(record.mostThreads, inBlock);
    if (inBlock && inBlock < mask.count) record.variesInBlock = true;
  }

  /** Lanes of `entered` in the warps that have any of `mask`. */
  private lanesOfWarpsIn(mask: Mask, entered: Mask): number {
    if (mask.count === entered.count) return mask.count;
    let lanes = 0;
    for (let warp = 0; warp < this.threads; warp += 32) {
      let came = 0;
      let turning = false;
      const end = Math.min(this.threads, warp + 32);
      for (let at = warp; at < end; at++) {
        if (entered.bits[at]) came++;
        if (mask.bits[at]) turning = true;
      }
      if (turning) lanes += came;
    }
    return lanes;
  }

  private loop(
    stmt: Stmt,
    cond: Expr | undefined,
    body: Stmt,
    step: Expr | undefined,
    form: 'for' | 'while' | 'do',
    mask: Mask,
    frame: Frame,
  ): Mask {
    this.flushShared();
    const fn = frame.fn ?? this.setup.fn;
    const seen: LoopSeen = { stmt, fn, ...(loopVariable(stmt) ? { variable: loopVariable(stmt)! } : {}) };
    const depth = this.loopStack.length;
    const known = this.setup.host
      ? bodyLaunches(body, this.setup.program)
        ? 8
        : 2
      : knownTurns[Math.min(depth, knownTurns.length - 1)]!;
    const state: LoopState = {};
    frame.loops.push(state);
    this.loopStack.push(seen);
    const names = new Set([...assignedNames(body), ...(step ? assignedNames(step) : [])]);
    // nvcc unrolls short loops, and fuses neighbouring shared accesses of their turns.
    const unrolled = form === 'for' && !this.setup.host && (countTrips(stmt as ForStmt, this.setup) ?? 64) <= 32;
    let active = mask;
    let exited = emptyMask(this.threads);
    let turns = 0;
    let cut = false;
    let pushed = false;
    const returnedBefore = frame.returned;
    try {
      for (;;) {
        if (cond && (form !== 'do' || turns > 0)) {
          const value = this.eval(cond, active, frame);
          if (!unrolled) this.flushShared();
          this.recordBranch(cond, stmt, form, value, active, fn, mask);
          const varies = typeof value.lanes !== 'number' && variesInBlock(value.lanes, active);
          const hangs = (value.taint & (Taint.chosen | Taint.loadedUniform | Taint.assumed)) !== 0;
          if (pushed) this.conditions.pop();
          const hanging = (value.taint & Taint.thread) !== 0 && (hangs || (value.taint & uncertain) !== 0);
          this.conditions.push({
            cond,
            fn,
            varies: varies || (value.taint & Taint.loaded) !== 0,
            hangs: hanging,
            hangsInWarp: hanging && this.comparesLanes(variesInWarp, cond, value, active, frame),
            hangsInBlock: hanging && this.comparesLanes(variesInBlock, cond, value, active, frame),
            taint: value.taint,
          });
          pushed = true;
          if (value.taint & uncertain) {
            seen.byData = true;
            if (turns >= 2) {
              cut = true;
              break;
            }
          } else {
            const inside = select(active, value.lanes, true);
            if (inside.count === 0) {
              if (turns === 0 && (hangs || value.taint & Taint.block) && !isTrivial(body))
                this.runShadow((shadowMask) => this.exec(body, shadowMask, frame), active, names, frame);
              else if (turns > 0 && !hangs) seen.trips = turns;
              exited = union(exited, active);
              active = inside;
              break;
            }
            if (hangs && turns >= unknownTurns) {
              cut = true;
              break;
            }
            exited = union(exited, without(active, inside));
            active = inside;
          }
        } else if (!cond && turns >= unknownTurns) {
          cut = true;
          break;
        }
        if (turns >= known) {
          const trips = form === 'for' ? countTrips(stmt as ForStmt, this.setup) : undefined;
          if (trips !== undefined) seen.trips = trips;
          cut = true;
          break;
        }
        delete state.continues;
        let next = active;
        const turn = active;
        if (seen.byData) this.byData++;
        const finished = this.within(frame, 2, () => {
          next = this.exec(body, turn, frame);
        });
        if (seen.byData) this.byData--;
        if (!finished) {
          cut = true;
          break;
        }
        turns++;
        active = state.continues ? union(next, state.continues as Mask) : next;
        if (state.breaks) {
          exited = union(exited, state.breaks);
          active = without(active, state.breaks);
          delete state.breaks;
        }
        if (active.count === 0) break;
        if (step) this.eval(step, active, frame);
        if (!unrolled) this.flushShared();
      }
    } finally {
      frame.loops.pop();
      this.loopStack.pop();
      if (pushed) this.conditions.pop();
    }
    this.flushShared();
    let after = cut ? mask : union(exited, active);
    if (frame.returned && frame.returned !== returnedBefore) after = without(after, frame.returned);
    if (cut)
      names.forEach((name) => {
        const cell = this.lookup(name, frame);
        if (cell?.value && !cell.ref) cell.value = { ...cell.value, taint: cell.value.taint | Taint.assumed };
      });
    return after;
  }

  private execSwitch(stmt: Stmt & { kind: 'switch' }, mask: Mask, frame: Frame): Mask {
    this.flushShared();
    const value = this.eval(stmt.cond, mask, frame);
    const fn = frame.fn ?? this.setup.fn;
    const cases = stmt.body.body.filter((inner): inner is Stmt & { kind: 'case' } => inner.kind === 'case');
    const settled = typeof value.lanes === 'number' && (value.taint & ~(Taint.block | Taint.assumed)) === 0;
    const state: LoopState = {};
    frame.loops.push(state);
    frame.scopes.push(new Map());
    try {
      if (settled) {
        const wanted = value.lanes as number;
        let at = cases.findIndex(
          (entry) => entry.value && laneAt(this.eval(entry.value, mask, frame).lanes, 0) === wanted,
        );
        if (at < 0) at = cases.findIndex((entry) => !entry.value);
        let active = mask;
        if (at >= 0) for (; at < cases.length && active.count; at++) active = this.exec(cases[at]!, active, frame);
        return union(active, state.breaks ?? emptyMask(this.threads)).count
          ? union(active, state.breaks ?? emptyMask(this.threads))
          : at < 0
            ? mask
            : active;
      }
      const exact = typeof value.lanes !== 'number' && (value.taint & (uncertain | Taint.chosen)) === 0;
      if (!exact) this.recordBranch(stmt.cond, stmt, 'switch', value, mask, fn);
      const varies = typeof value.lanes !== 'number' && variesInBlock(value.lanes, mask);
      this.conditions.push({
        cond: stmt.cond,
        fn,
        varies: varies || (value.taint & Taint.loaded) !== 0,
        hangs: false,
        hangsInWarp: false,
        hangsInBlock: false,
        taint: value.taint,
      });
      const names = assignedNames(stmt.body);
      let leftOver = mask;
      let after = emptyMask(this.threads);
      for (const entry of cases) {
        if (exact && entry.value) {
          const wanted = laneAt(this.eval(entry.value, mask, frame).lanes, 0);
          const inside = select(
            leftOver,
            map1(value.lanes, (lane) => (lane === wanted ? 1 : 0)),
            true,
          );
          leftOver = without(leftOver, inside);
          if (inside.count) after = union(after, this.exec(entry, inside, frame));
        } else if (exact) {
          if (leftOver.count) after = union(after, this.exec(entry, leftOver, frame));
          leftOver = emptyMask(this.threads);
        } else {
          const before = this.snapshot(names, frame);
          this.unsure++;
          this.exec(entry, mask, frame);
          this.unsure--;
          this.flushShared();
          const now = this.snapshot(names, frame);
          this.restore(before);
          this.joinSnapshots(now, Taint.maybe, value.taint);
          now.forEach(({ cell, value: assigned }) => {
            if (assigned && cell.value && !sameValue(cell.value, assigned))
              cell.value = { ...assigned, taint: assigned.taint | Taint.maybe };
          });
        }
      }
      this.conditions.pop();
      if (!exact) return mask;
      return union(union(after, leftOver), state.breaks ?? emptyMask(this.threads));
    } finally {
      frame.loops.pop();
      frame.scopes.pop();
      this.flushShared();
    }
  }

  // ---- expressions -------------------------------------------------------------------------------------------------

  private eval(expr: Expr, mask: Mask, frame: Frame, wanted?: Type): Value {
    this.spend();
    switch (expr.kind) {
      case 'number':
        return {
          type: scalarNamed(expr.type) ?? (expr.type === 'nullptr' ? { kind: 'pointer', to: voidType } : intType),
          lanes: expr.value,
          taint: 0,
        };
      case 'string':
        return {
          type: { kind: 'pointer', to: scalarNamed('char')! },
          lanes: 0,
          taint: 0,
          base: this.baseNamed('"', 'unknown'),
        };
      case 'name':
        return this.evalName(expr, mask, frame);
      case 'unary':
        return this.evalUnary(expr, mask, frame);
      case 'update': {
        const place = this.place(expr.operand, mask, frame);
        const old = this.load(place, mask, frame, expr.operand);
        const next = this.arithmetic(
          expr.op === '++' ? '+' : '-',
          old,
          { type: intType, lanes: 1, taint: 0 },
          mask,
          undefined,
        );
        this.store(place, next, mask, frame, expr.operand, true);
        return expr.prefix ? next : old;
      }
      case 'binary':
        return this.evalBinary(expr, mask, frame);
      case 'assign': {
        if (expr.op === '=') {
          const value = this.eval(expr.value, mask, frame, undefined);
          const place = this.place(expr.target, mask, frame);
          this.store(place, value, mask, frame, expr.target, true);
          return value;
        }
        const place = this.place(expr.target, mask, frame);
        const old = this.load(place, mask, frame, expr.target);
        const value = this.eval(expr.value, mask, frame);
        const next = this.arithmetic(expr.op.slice(0, -1), old, value, mask, expr.value);
        this.store(place, this.convert(next, place.type), mask, frame, expr.target, true);
        return next;
      }
      case 'conditional': {
        const cond = this.eval(expr.cond, mask, frame);
        let then: Value | undefined;
        let otherwise: Value | undefined;
        if (typeof cond.lanes === 'number' && (cond.taint & ~Taint.assumed) === 0)
          return this.eval(cond.lanes ? expr.then : expr.else, mask, frame, wanted);
        this.fork(
          expr.cond,
          expr,
          'conditional',
          cond,
          mask,
          frame,
          (active) => {
            then = this.eval(expr.then, active, frame, wanted);
            return active;
          },
          (active) => {
            otherwise = this.eval(expr.else, active, frame, wanted);
            return active;
          },
        );
        if (!then || !otherwise) {
          const only = then ?? otherwise;
          return only ? { ...only, taint: only.taint | (cond.taint & ~Taint.float) } : this.zero(intType);
        }
        if (cond.taint & uncertain || typeof cond.lanes === 'number') {
          const picks = this.dataMask(cond, mask);
          const pick =
            picks && then.base === otherwise.base && !then.fields && !otherwise.fields
              ? { ...then, lanes: blend(otherwise.lanes, then.lanes, picks) }
              : laneAt(cond.lanes, 0)
                ? then
                : otherwise;
          return sameValue(then, otherwise)
            ? then
            : {
                ...pick,
                taint:
                  then.taint |
                  otherwise.taint |
                  (cond.taint & uncertain ? Taint.maybe : Taint.assumed) |
                  (cond.taint & (Taint.thread | Taint.block | Taint.chosen | Taint.loaded | Taint.hash)),
              };
        }
        const inside = select(mask, cond.lanes, true);
        const merged = this.merge(otherwise, then, inside);
        return { ...merged, taint: merged.taint | cond.taint };
      }
      case 'index':
      case 'member':
        return this.load(narrowed(this.place(expr, mask, frame), wanted), mask, frame, expr);
      case 'call':
        return this.evalCall(expr, mask, frame, wanted);
      case 'launch':
        return this.evalLaunch(expr, mask, frame);
      case 'cast': {
        const type = this.setup.types.resolve(expr.type, frame.bindings, frame.within);
        if (type.kind === 'reference') {
          const place = this.place(expr, mask, frame);
          return this.load(place, mask, frame, expr);
        }
        const value = this.eval(expr.operand, mask, frame, type);
        return this.convert(value, type, true);
      }
      case 'sizeof': {
        const type = expr.type
          ? this.setup.types.resolve(expr.type, frame.bindings, frame.within)
          : expr.operand
            ? this.staticType(expr.operand, mask, frame)
            : undefined;
        const size = type ? (expr.alignof ? alignOf(type) : sizeOf(type)) : undefined;
        return { type: longType, lanes: size ?? 8, taint: size === undefined ? Taint.assumed : 0 };
      }
      case 'initList': {
        if (wanted) return this.construct(wanted, expr.elements, mask, frame, expr);
        const values = expr.elements.map((element) => this.eval(element, mask, frame));
        return values.length === 1 ? values[0]! : { type: { kind: 'unknown', name: 'list' }, lanes: 0, taint: 0 };
      }
      case 'lambda':
        return { type: { kind: 'unknown', name: 'lambda' }, lanes: 0, taint: 0, lambda: { expr, frame } };
      case 'new':
        expr.args?.forEach((arg) => this.eval(arg, mask, frame));
        if (expr.size) this.eval(expr.size, mask, frame);
        {
          const type = this.setup.types.resolve(expr.type, frame.bindings, frame.within);
          return {
            type: { kind: 'pointer', to: type },
            lanes: 0,
            taint: 0,
            base: this.baseNamed(`new@${frame.fn?.key ?? ''}:${expr.start}`, 'unknown', type),
          };
        }
      case 'delete':
        this.eval(expr.operand, mask, frame);
        return this.zero(voidType);
      case 'opaque': {
        let taint = 0;
        for (const part of expr.parts) taint |= this.eval(part, mask, frame).taint;
        return {
          type: intType,
          lanes: this.chosenNumber(`opaque@${expr.start}`),
          taint: taint | Taint.chosen | Taint.maybe,
        };
      }
    }
  }

  private zero(type: Type): Value {
    return { type, lanes: 0, taint: 0 };
  }

  /** The type of an operand that is not evaluated. */
  private staticType(expr: Expr, mask: Mask, frame: Frame): Type | undefined {
    if (expr.kind === 'name') {
      const place = this.namePlace(expr, frame);
      return (
        place?.type ??
        boundType(frame.bindings, expr.name) ??
        this.setup.types.resolve({ kind: 'named', name: expr.name }, frame.bindings, frame.within)
      );
    }
    if (expr.kind === 'index') {
      const base = this.staticType(expr.base, mask, frame);
      return base?.kind === 'array' ? base.of : base?.kind === 'pointer' ? base.to : undefined;
    }
    if (expr.kind === 'unary' && expr.op === '*') {
      const base = this.staticType(expr.operand, mask, frame);
      return base?.kind === 'array' ? base.of : base?.kind === 'pointer' ? base.to : undefined;
    }
    if (expr.kind === 'member') {
      let object = this.staticType(expr.object, mask, frame);
      if (object?.kind === 'pointer') object = object.to;
      return object?.kind === 'struct' ? object.fields.get(expr.field)?.type : undefined;
    }
    if (expr.kind === 'cast') return this.setup.types.resolve(expr.type, frame.bindings, frame.within);
    if (expr.kind === 'number') return scalarNamed(expr.type);
    return undefined;
  }

  private evalName(expr: Expr & { kind: 'name' }, mask: Mask, frame: Frame): Value {
    const place = this.namePlace(expr, frame);
    if (place) return this.load(place, mask, frame, expr);
    const name = expr.name;
    const bound = boundValue(frame.bindings, name);
    if (bound !== undefined) return { type: intType, lanes: bound, taint: 0 };
    const builtin = this.builtinName(name);
    if (builtin) return builtin;
    const constant = this.setup.types.constant(expr, frame.bindings);
    if (constant !== undefined)
      return { type: Number.isInteger(constant) ? intType : doubleType, lanes: constant, taint: 0 };
    const functions = this.setup.program.functions(name);
    if (functions.length)
      return { type: { kind: 'unknown', name: 'function' }, lanes: 0, taint: 0, function: functions };
    if (name === 'blockDim' || name === 'gridDim' || name === 'threadIdx' || name === 'blockIdx')
      return this.chosen(name, dim3Type);
    return this.chosen(name, this.setup.types.resolve({ kind: 'named', name: 'int' }));
  }

  private builtinName(name: string): Value | undefined {
    switch (name) {
      case 'threadIdx':
        return { type: dim3Type, lanes: 0, taint: 0, fields: new Map(Object.entries(this.threadIndex)) };
      case 'blockDim':
        return this.triple((at) => ({ type: unsignedType, lanes: this.setup.block[at]!, taint: 0 }));
      case 'gridDim':
        return this.triple((at) => {
          const known = this.setup.grid[at];
          return known !== undefined
            ? { type: unsignedType, lanes: known, taint: 0 }
            : {
                type: unsignedType,
                lanes: [12, 8, 4][at]! + (this.setup.variant === 'odd' ? 1 : 0),
                taint: Taint.chosen,
              };
        });
      case 'blockIdx':
        return this.triple((at) => {
          const known = this.setup.grid[at];
          if (known === 1) return { type: unsignedType, lanes: 0, taint: 0 };
          const usual = [5, 3, 2][at]! + (this.setup.blockNumber ?? 0) * [1, 1, 1][at]!;
          return {
            type: unsignedType,
            lanes:
              known !== undefined && known <= usual + 1
                ? (Math.floor(known / 2) + (this.setup.blockNumber ?? 0)) % known
                : usual,
            taint: Taint.block,
          };
        });
      case 'warpSize':
        return { type: intType, lanes: 32, taint: 0 };
      default:
        return undefined;
    }
  }
  private triple(of: (at: number) => Value): Value {
    return {
      type: dim3Type,
      lanes: 0,
      taint: 0,
      fields: new Map([
        ['x', of(0)],
        ['y', of(1)],
        ['z', of(2)],
      ]),
    };
  }

  private evalUnary(expr: Expr & { kind: 'unary' }, mask: Mask, frame: Frame): Value {
    if (expr.op === '*') return this.load(this.place(expr, mask, frame), mask, frame, expr);
    if (expr.op === '&') {
      if (expr.operand.kind === 'name' && !this.namePlace(expr.operand, frame))
        return this.eval(expr.operand, mask, frame);
      const place = this.place(expr.operand, mask, frame);
      if (place.kind === 'memory')
        return {
          type: { kind: 'pointer', to: place.type },
          lanes: place.offset,
          taint: place.taint,
          base: place.base,
          ...(place.strideName ? { strideName: place.strideName } : {}),
        };
      return { type: { kind: 'pointer', to: place.type }, lanes: 0, taint: 0, target: place };
    }
    const operand = this.eval(expr.operand, mask, frame);
    if (operand.type.kind === 'struct') {
      const own = this.callOperator(`operator${expr.op}`, [operand], mask, frame, expr);
      return own ?? { type: operand.type, lanes: 0, taint: operand.taint, key: `unary@${expr.start}` };
    }
    switch (expr.op) {
      case '-':
        return { type: promote(operand.type), lanes: map1(operand.lanes, (a) => -a), taint: operand.taint };
      case '+':
        return operand;
      case '!':
        return { type: boolType, lanes: map1(operand.lanes, (a) => (a ? 0 : 1)), taint: operand.taint };
      case '~': {
        const type = promote(operand.type);
        return {
          type,
          lanes: map1(operand.lanes, (a) => (isUnsigned32(type) ? ~a >>> 0 : -a - 1)),
          taint: operand.taint,
        };
      }
    }
  }

  private evalBinary(expr: Expr & { kind: 'binary' }, mask: Mask, frame: Frame): Value {
    if (expr.op === ',') {
      this.eval(expr.left, mask, frame);
      return this.eval(expr.right, mask, frame);
    }
    if (expr.op === '&&' || expr.op === '||') {
      const left = this.eval(expr.left, mask, frame);
      const certain = (left.taint & uncertain) === 0;
      const onward = certain ? select(mask, left.lanes, expr.op === '&&') : mask;
      if (onward.count === 0) {
        const hangs = (left.taint & (Taint.chosen | Taint.block)) !== 0;
        if (!hangs) return { type: boolType, lanes: map1(left.lanes, (a) => (a ? 1 : 0)), taint: left.taint };
        this.shadow++;
        const right = this.eval(expr.right, mask, frame);
        this.shadow--;
        return {
          type: boolType,
          lanes: map1(left.lanes, (a) => (a ? 1 : 0)),
          taint: left.taint | (right.taint & ~uncertain),
        };
      }
      const right = this.eval(expr.right, onward, frame);
      const lanes = map2(
        left.lanes,
        right.lanes,
        this.threads,
        expr.op === '&&' ? (a, b) => (a && b ? 1 : 0) : (a, b) => (a || b ? 1 : 0),
      );
      return { type: boolType, lanes, taint: left.taint | right.taint };
    }
    const left = this.eval(expr.left, mask, frame);
    const right = this.eval(expr.right, mask, frame);
    if (left.type.kind === 'struct' || right.type.kind === 'struct') {
      const own = this.callOperator(`operator${expr.op}`, [left, right], mask, frame, expr);
      if (own) return own;
      const type = left.type.kind === 'struct' ? left.type : right.type;
      return this.setup.host && /^(<<|>>)$/.test(expr.op)
        ? left
        : { type, lanes: 0, taint: left.taint | right.taint, key: `op@${expr.start}` };
    }
    return this.arithmetic(expr.op, left, right, mask, expr);
  }

  private callOperator(
    name: string,
    operands: readonly Value[],
    mask: Mask,
    frame: Frame,
    node: Expr,
  ): Value | undefined {
    if (frame.depth > 6) return undefined;
    const first = operands[0]!;
    if (first.type.kind === 'struct' && first.type.decl) {
      const method = first.type.decl.methods.find(
        (candidate) => candidate.name === name && candidate.body && candidate.params.length === operands.length - 1,
      );
      if (method)
        return this.call(
          method,
          operands.slice(1),
          undefined,
          { kind: 'value', value: first, type: first.type },
          mask,
          frame,
          node,
        );
    }
    const free = this.setup.program
      .functions(name)
      .find(
        (candidate) =>
          candidate.body &&
          !candidate.className &&
          candidate.params.length === operands.length &&
          this.accepts(candidate, operands, frame),
      );
    return free ? this.call(free, operands, undefined, undefined, mask, frame, node) : undefined;
  }
  /** Do the operands' struct types fit the parameters as written? Scalars fit everything that is not a struct. */
  private accepts(fn: FunctionDecl, operands: readonly Value[], frame: Frame): boolean {
    return fn.params.every((param, at) => {
      const type = stripReference(this.setup.types.resolve(param.type, frame.bindings, frame.within));
      const given = operands[at]!.type;
      return type.kind === 'struct'
        ? given.kind === 'struct' && given.name === type.name
        : type.kind === 'unknown'
          ? true
          : given.kind !== 'struct';
    });
  }

  private arithmetic(op: string, left: Value, right: Value, mask: Mask, node: Expr | undefined): Value {
    let taint = left.taint | right.taint;
    const strideName = left.strideName ?? right.strideName;
    const extra = strideName ? { strideName } : {};
    // Pointers: the number of elements is scaled by the size pointed to.
    if (left.base || right.base || left.target || right.target) {
      const pointer = left.base || left.target ? left : right;
      const other = pointer === left ? right : left;
      if ((op === '+' || op === '-') && !(other.base ?? other.target) && pointer.base) {
        const size = pointer.type.kind === 'pointer' ? sizeOf(pointer.type.to) : 4;
        const scale = (size ?? 4) * (op === '-' ? -1 : 1);
        return {
          type: pointer.type,
          base: pointer.base,
          lanes: map2(pointer.lanes, other.lanes, this.threads, (a, b) => a + b * scale),
          taint: taint | (size === undefined ? Taint.assumed : 0),
          ...extra,
        };
      }
      if (op === '-' && left.base && left.base === right.base) {
        const size = left.type.kind === 'pointer' ? (sizeOf(left.type.to) ?? 4) : 4;
        return {
          type: longType,
          lanes: map2(left.lanes, right.lanes, this.threads, (a, b) => Math.trunc((a - b) / size)),
          taint,
        };
      }
      if (/^(==|!=|<|>|<=|>=)$/.test(op)) {
        // A comparison with null: pointers in device code are taken to be set.
        const lanes =
          op === '!='
            ? 1
            : op === '=='
              ? 0
              : left.base === right.base
                ? map2(left.lanes, right.lanes, this.threads, compare(op))
                : 1;
        return {
          type: boolType,
          lanes,
          taint: taint | (left.base === right.base && op !== '==' && op !== '!=' ? 0 : Taint.chosen),
        };
      }
      if (pointer.base) return { ...pointer, taint: taint | Taint.maybe };
      return { type: pointer.type, lanes: 0, taint: taint | Taint.chosen | Taint.maybe };
    }
    if (/^(==|!=|<|>|<=|>=)$/.test(op))
      return { type: boolType, lanes: this.arith(left.lanes, right.lanes, compare(op)), taint };
    const type = op === '<<' || op === '>>' ? promote(left.type) : common(left.type, right.type);
    const floating = type.kind === 'scalar' && type.float;
    const leftVaries = typeof left.lanes !== 'number';
    const rightVaries = typeof right.lanes !== 'number';
    let name = strideName;
    if (op === '*' && leftVaries !== rightVaries) {
      const [varying, factor] = leftVaries ? [left, right] : [right, left];
      if (factor.taint & (Taint.chosen | Taint.loadedUniform) && variesInWarp(varying.lanes, mask)) {
        taint |= Taint.unknownStride;
        if (node?.kind === 'binary') name = nameOf(leftVaries ? node.right : node.left) ?? name;
      }
    }
    if (
      (op === '/' || op === '%') &&
      right.taint & (Taint.chosen | Taint.loadedUniform) &&
      (leftVaries || left.taint & Taint.thread)
    )
      taint |= Taint.assumed;
    let lanes: Lanes;
    if (
      floating &&
      this.left < 0.7 * this.setup.budget &&
      (left.taint | right.taint) & Taint.loaded &&
      (leftVaries || rightVaries)
    ) {
      // In a long run, what comes of data nobody knows is taken as unknown at once: the lanes that differ stay as they are.
      const unknown = left.taint & Taint.loaded && leftVaries ? left : rightVaries ? right : left;
      return { type, lanes: unknown.lanes, taint, ...(name ? { strideName: name } : {}) };
    }
    if ((op === '<<' || op === '>>') && right.taint & (Taint.chosen | Taint.loadedUniform)) {
      lanes = leftVaries ? left.lanes : this.chosenNumber(`shift@${node?.start ?? 0}`);
      if (leftVaries && op === '<<') {
        taint |= Taint.unknownStride;
        lanes = map1(left.lanes, (a) => a * 1024);
      }
      // As with `/`, what is left of a thread number divided by something large is a row that the lanes share.
      if (leftVaries && op === '>>') lanes = settle(map1(left.lanes, (a) => Math.floor(a / 2 ** 20)));
      taint |= Taint.assumed | Taint.chosen;
    } else lanes = this.arith(left.lanes, right.lanes, arithmeticOf(op, floating, type));
    if (
      !floating &&
      op === '*' &&
      leftVaries !== rightVaries &&
      taint & Taint.unknownStride &&
      (taint & (Taint.loaded | Taint.hash)) === 0 &&
      exceeds(lanes)
    ) {
      // A product of many chosen numbers outgrows what a double counts: the lanes stay apart by an unknown distance.
      const varying = (leftVaries ? left : right).lanes as Float64Array;
      const widest = varying.reduce((most, a) => Math.max(most, Math.abs(a - varying[0]!)), 1);
      const scale = Math.max(1, Math.min(2 ** 20, 2 ** Math.floor(Math.log2(2 ** 48 / widest))));
      lanes = map1(varying, (a) => (a - varying[0]!) * scale);
    }
    if (!floating && exceeds(lanes)) {
      // Beyond 53 bits the low ones are lost: what is left is a number that differs where the true one does.
      const varying = typeof lanes !== 'number';
      taint |= varying ? Taint.hash : Taint.chosen;
      lanes = map1(lanes, (a) => (Math.abs(a) <= 9007199254740991 ? a : mixBits(a)));
    }
    if (!floating && isUnsigned32(type) && (taint & (Taint.chosen | Taint.loaded | Taint.loadedUniform)) === 0)
      lanes = map1(lanes, (a) => (a < 0 || a > 4294967295 ? ((a % 4294967296) + 4294967296) % 4294967296 : a));
    if (!floating && op === '&' && (left.taint | right.taint) & Taint.chosen && !leftVaries && !rightVaries)
      taint |= Taint.assumed;
    return { type, lanes, taint, ...(name ? { strideName: name } : {}) };
  }
  private arith(left: Lanes, right: Lanes, apply: (a: number, b: number) => number): Lanes {
    return settleIfSmall(map2(left, right, this.threads, apply));
  }

  private convert(value: Value, type: Type, explicit = false): Value {
    if (type.kind === 'reference') return this.convert(value, type.to, explicit);
    if (value.lambda || value.function) return value;
    if (type.kind === 'pointer') {
      if (value.base || value.target) return { ...value, type };
      return value.type.kind === 'pointer' ? { ...value, type } : { ...value, type, taint: value.taint };
    }
    if (type.kind === 'scalar' && value.type.kind === 'scalar') {
      if (type === value.type) return value;
      if (!type.float && value.type.float) {
        const taint = value.taint | (variesInWarp(value.lanes, this.full) ? Taint.float : 0);
        return {
          ...value,
          type,
          lanes:
            type.name === 'bool'
              ? map1(value.lanes, (a) => (a ? 1 : 0))
              : map1(value.lanes, (a) => (Number.isFinite(a) ? Math.trunc(a) : 0)),
          taint,
        };
      }
      if (type.name === 'bool') return { ...value, type, lanes: map1(value.lanes, (a) => (a ? 1 : 0)) };
      if (
        !type.float &&
        type.size < 4 &&
        type.size < value.type.size &&
        (value.taint & (Taint.chosen | Taint.loaded)) === 0
      ) {
        const modulus = 2 ** (8 * type.size);
        return {
          ...value,
          type,
          lanes: map1(value.lanes, (a) => {
            const wrapped = ((a % modulus) + modulus) % modulus;
            return type.signed && wrapped >= modulus / 2 ? wrapped - modulus : wrapped;
          }),
        };
      }
      if (isUnsigned32(type) && (value.taint & (Taint.chosen | Taint.loaded)) === 0)
        return {
          ...value,
          type,
          lanes: map1(value.lanes, (a) => (a < 0 || a > 4294967295 ? ((a % 4294967296) + 4294967296) % 4294967296 : a)),
        };
      return { ...value, type };
    }
    if (type.kind === 'struct' && value.type.kind !== 'struct') {
      if (type.name === 'dim3')
        return {
          type,
          lanes: 0,
          taint: 0,
          fields: new Map([
            ['x', { ...value, type: unsignedType }],
            ['y', { type: unsignedType, lanes: 1, taint: 0 }],
            ['z', { type: unsignedType, lanes: 1, taint: 0 }],
          ]),
        };
      if (value.type.kind === 'scalar') return { type, lanes: 0, taint: value.taint, key: 'converted' };
      return value.type.kind === 'unknown' ? { ...value, type } : value;
    }
    if (type.kind === 'scalar' && value.type.kind === 'unknown') return { ...value, type };
    if (type.kind === 'scalar' && value.type.kind === 'pointer') return { ...value, type };
    return value;
  }

  private merge(previous: Value, next: Value, mask: Mask): Value {
    if (mask.count === this.threads || !previous) return next;
    if (mask.count === 0) return previous;
    if (next.fields || previous.fields) {
      const fields = new Map<string, Value>();
      const names = new Set([...(next.fields?.keys() ?? []), ...(previous.fields?.keys() ?? [])]);
      names.forEach((name) => {
        const a = previous.fields?.get(name);
        const b = next.fields?.get(name);
        fields.set(name, a && b ? this.merge(a, b, mask) : (b ?? a)!);
      });
      return { ...next, fields, taint: next.taint | previous.taint };
    }
    if (previous.base !== next.base)
      return { ...next, taint: next.taint | previous.taint | (previous.base && next.base ? Taint.maybe : 0) };
    return { ...next, lanes: blend(previous.lanes, next.lanes, mask), taint: next.taint | previous.taint };
  }

  // ---- places, loads, stores ---------------------------------------------------------------------------------------

  private place(expr: Expr, mask: Mask, frame: Frame): Place {
    switch (expr.kind) {
      case 'name': {
        const place = this.namePlace(expr, frame);
        if (place) return place;
        break;
      }
      case 'index': {
        const index = this.eval(expr.index, mask, frame);
        const base = this.arrayPlace(expr.base, mask, frame);
        if (base.kind === 'value' && base.type.kind === 'struct')
          return this.viaMethod('operator[]', base, [index], mask, frame, expr);
        return this.elementOf(base, index, expr, mask);
      }
      case 'unary':
        if (expr.op === '*') {
          const pointer = this.eval(expr.operand, mask, frame);
          return this.deref(pointer, expr);
        }
        break;
      case 'member': {
        if (expr.arrow) {
          const pointer = this.eval(expr.object, mask, frame);
          if (pointer.type.kind === 'struct')
            return this.viaMethod(
              'operator->',
              { kind: 'value', value: pointer, type: pointer.type },
              [],
              mask,
              frame,
              expr,
            );
          return this.fieldPlace(this.deref(pointer, expr), expr.field, expr);
        }
        return this.fieldPlace(this.place(expr.object, mask, frame), expr.field, expr);
      }
      case 'cast': {
        const type = this.setup.types.resolve(expr.type, frame.bindings, frame.within);
        if (type.kind === 'reference') {
          const inner = this.place(expr.operand, mask, frame);
          return inner.kind === 'memory' ? { ...inner, type: type.to } : inner;
        }
        break;
      }
      case 'call': {
        const value = this.evalCall(expr, mask, frame);
        if (value.target)
          return value.target.kind === 'memory' && value.type.kind === 'reference'
            ? value.target
            : value.type.kind === 'reference'
              ? value.target
              : { kind: 'value', value, type: value.type };
        return { kind: 'value', value, type: value.type };
      }
      case 'conditional': {
        const cond = this.eval(expr.cond, mask, frame);
        const then = this.place(expr.then, mask, frame);
        const other = this.place(expr.else, mask, frame);
        return laneAt(cond.lanes, 0) ? then : other;
      }
      case 'update':
      case 'assign':
        this.eval(expr, mask, frame);
        return this.place(expr.kind === 'assign' ? expr.target : expr.operand, mask, frame);
      default:
        break;
    }
    const value = this.eval(expr, mask, frame);
    return { kind: 'value', value, type: value.type };
  }

  private arrayPlace(expr: Expr, mask: Mask, frame: Frame): Place {
    const place = this.place(expr, mask, frame);
    if (place.type.kind === 'array' && place.kind === 'memory') return place;
    const value = this.load(place, mask, frame, expr);
    return { kind: 'value', value, type: value.type };
  }

  private elementOf(base: Place, index: Value, node: Expr, _mask: Mask): Place {
    if (base.kind === 'memory' && base.type.kind === 'array') {
      const size = sizeOf(base.type.of);
      const strideName = index.strideName ?? base.strideName;
      return {
        kind: 'memory',
        base: base.base,
        offset: map2(base.offset, index.lanes, this.threads, (a, b) => a + b * (size ?? 4)),
        taint: base.taint | index.taint | (size === undefined ? Taint.assumed : 0),
        type: base.type.of,
        node,
        ...(strideName ? { strideName } : {}),
      };
    }
    const pointer: Value = base.kind === 'value' ? base.value : this.zero(intType);
    return this.deref(this.arithmetic('+', pointer, index, this.full, undefined), node);
  }

  private deref(pointer: Value, node: Expr): Place {
    if (pointer.target) return pointer.target;
    const type: Type =
      pointer.type.kind === 'pointer' ? pointer.type.to : pointer.type.kind === 'unknown' ? pointer.type : intType;
    const base = pointer.base ?? this.baseNamed(`*${pointer.key ?? '?'}`, 'unknown');
    return {
      kind: 'memory',
      base,
      offset: pointer.lanes,
      taint: pointer.taint,
      type,
      node,
      ...(pointer.strideName ? { strideName: pointer.strideName } : {}),
    };
  }

  private fieldPlace(object: Place, field: string, node: Node): Place {
    if (object.kind === 'memory') {
      const found = object.type.kind === 'struct' ? object.type.fields.get(field) : undefined;
      const outer = object.part && object.part.type === object.type ? object.part : undefined;
      const part =
        found && object.type.kind === 'struct'
          ? {
              alignment: Math.max(outer?.alignment ?? 1, object.type.align),
              offset: (outer && outer.alignment >= object.type.align ? outer.offset : 0) + found.offset,
              type: found.type,
            }
          : undefined;
      return {
        ...object,
        offset: map1(object.offset, (a) => a + (found?.offset ?? 0)),
        type: found?.type ?? { kind: 'unknown', name: field },
        taint: object.taint | (found ? 0 : Taint.assumed),
        node,
        ...(part ? { part } : {}),
      };
    }
    const type =
      object.type.kind === 'struct'
        ? (object.type.fields.get(field)?.type ?? ({ kind: 'unknown', name: field } as const))
        : ({ kind: 'unknown', name: field } as const);
    if (object.kind === 'cell') {
      const value = object.path
        .reduce<Value | undefined>((at, part) => at?.fields?.get(part), object.cell.value)
        ?.fields?.get(field);
      if (type.kind === 'array' && value?.base)
        return { kind: 'memory', base: value.base, offset: 0, taint: 0, type, node };
      return {
        kind: 'cell',
        cell: object.cell,
        path: [...object.path, field],
        type: value && type.kind === 'unknown' ? value.type : type,
      };
    }
    if (object.value.target) return this.fieldPlace(object.value.target, field, node);
    const value = this.fieldOf(object.value, field, type);
    return type.kind === 'array' && value.base
      ? { kind: 'memory', base: value.base, offset: value.lanes, taint: value.taint, type, node }
      : { kind: 'value', value, type: value.type };
  }
  private fieldOf(object: Value, field: string, type: Type): Value {
    const known = object.fields?.get(field);
    if (known) return known;
    if (field === 'multiProcessorCount')
      return { type: intType, lanes: this.setup.gpu.multiprocessors, taint: Taint.chosen };
    if (field === 'maxThreadsPerBlock') return { type: intType, lanes: 1024, taint: Taint.chosen };
    if (field === 'warpSize') return { type: intType, lanes: 32, taint: 0 };
    const key = `${object.key ?? 'object'}.${field}`;
    if (object.taint & Taint.loaded && typeof object.lanes !== 'number')
      return this.unseen(type, key, object.taint, object.lanes);
    return this.unseen(type, key, object.taint | Taint.chosen);
  }

  private viaMethod(name: string, object: Place, args: readonly Value[], mask: Mask, frame: Frame, node: Expr): Place {
    const type = object.type;
    const methods = type.kind === 'struct' ? this.methods(type, name, args.length) : [];
    const self: Place = object;
    if (methods[0] && frame.depth < maximumCallDepth) {
      const value = this.call(methods[0], args, undefined, self, mask, frame, node);
      if (value.target) return node.kind === 'member' ? this.fieldPlace(value.target, node.field, node) : value.target;
      if (node.kind === 'member' && value.type.kind === 'pointer')
        return this.fieldPlace(this.deref(value, node), node.field, node);
      return { kind: 'value', value, type: value.type };
    }
    const taint = args.reduce((sum, arg) => sum | arg.taint, object.kind === 'value' ? object.value.taint : 0);
    const varying = args.find((arg) => typeof arg.lanes !== 'number');
    const value: Value = {
      type: { kind: 'unknown', name },
      lanes: varying ? varying.lanes : this.chosenNumber(`${name}@${node.start}`),
      taint: taint | Taint.chosen | (varying ? Taint.maybe : 0),
    };
    return { kind: 'value', value, type: value.type };
  }
  private methods(type: StructType, name: string, count: number): FunctionDecl[] {
    const fits = (fn: FunctionDecl): boolean =>
      fn.params.length >= count && fn.params.slice(count).every((param) => param.init);
    const own = type.decl?.methods.filter((fn) => fn.name === name && fits(fn)) ?? [];
    const bodies = own.filter((fn) => fn.body);
    if (bodies.length) return bodies;
    const className = type.decl?.qualifiedName;
    return className
      ? this.setup.program
          .functions(name)
          .filter(
            (fn) =>
              fn.body &&
              fn.className &&
              (fn.className === className ||
                className.endsWith(`::${fn.className}`) ||
                fn.className.endsWith(`::${className}`)) &&
              fits(fn),
          )
      : [];
  }

  private load(place: Place, mask: Mask, frame: Frame, node: Expr): Value {
    switch (place.kind) {
      case 'value':
        return place.value;
      case 'cell': {
        let value = place.cell.value;
        if (!value) return { type: place.type, lanes: 0, taint: Taint.maybe, key: place.cell.name };
        let type: Type = place.cell.type;
        for (const part of place.path) {
          type =
            type.kind === 'struct'
              ? (type.fields.get(part)?.type ?? { kind: 'unknown', name: part })
              : { kind: 'unknown', name: part };
          value = this.fieldOf(value, part, type);
        }
        return value;
      }
      case 'memory': {
        if (place.type.kind === 'array')
          return {
            type: { kind: 'pointer', to: place.type.of },
            lanes: place.offset,
            taint: place.taint,
            base: place.base,
            ...(place.strideName ? { strideName: place.strideName } : {}),
          };
        if (place.base.elements) {
          const known = this.loadLocal(place, mask);
          if (known) {
            if (typeof place.offset !== 'number') this.record(place, 'load', mask, frame, node);
            return known;
          }
        }
        this.record(place, 'load', mask, frame, node);
        return this.loaded(place, mask);
      }
    }
  }
  private loadLocal(place: Place & { kind: 'memory' }, mask: Mask): Value | undefined {
    const elements = place.base.elements!;
    const offset = variesInBlock(place.offset, mask) ? undefined : firstActive(place.offset, mask);
    if (offset !== undefined) {
      const exact = elements.get(offset);
      if (exact)
        return place.taint & (uncertain | Taint.chosen | Taint.assumed)
          ? { ...exact, taint: exact.taint | Taint.maybe }
          : exact;
    }
    const first = elements.values().next().value as Value | undefined;
    if (!first)
      return {
        type: place.type,
        lanes: 0,
        taint: Taint.maybe,
        ...(place.type.kind === 'pointer'
          ? { base: this.baseNamed(`${place.base.name}[]`, 'global', place.type.to) }
          : {}),
      };
    let taint = 0;
    elements.forEach((value) => {
      taint |= value.taint;
    });
    return { ...first, type: place.type, taint: taint | place.taint | Taint.maybe };
  }
  /** The value of a load: a chosen number where all lanes of each warp read one place, numbers of their own where they do not. */
  private loaded(place: Place & { kind: 'memory' }, mask: Mask): Value {
    const varies = variesInWarp(place.offset, mask);
    const key = `${place.base.name}[]`;
    const carried = place.taint & (Taint.thread | Taint.block);
    const wide = place.type.kind === 'scalar' && !place.type.float && place.type.size === 8;
    const hash = (offset: number): number => {
      const mixed = Math.imul((Math.trunc(offset) ^ (place.base.id * 40503)) | 0, 0x9e3779b1) >>> 12;
      // Values of eight bytes differ in both halves, since code packs two numbers into one.
      return (
        (1024 * (64 + (mixed % 4093)) + (this.setup.variant === 'odd' ? 1 + 2 * (mixed % 509) : 0)) *
        (wide && varies ? 2097153 : 1)
      );
    };
    if (!varies && typeof place.offset === 'number') {
      const taint = carried | Taint.chosen | Taint.loadedUniform;
      return this.unseen(
        place.type,
        `${key}@${place.offset}`,
        taint,
        place.type.kind === 'scalar' && place.type.size > 1 && !place.type.float ? hash(place.offset) : undefined,
      );
    }
    const lanes =
      place.type.kind === 'scalar' && place.type.float
        ? map1(place.offset, (offset) => (hash(offset) % 997) / 7)
        : place.type.kind === 'scalar' && place.type.size === 1
          ? map1(place.offset, (offset) => hash(offset) % 251)
          : map1(place.offset, hash);
    return this.unseen(place.type, key, carried | (varies ? Taint.loaded : Taint.chosen | Taint.loadedUniform), lanes);
  }

  private store(place: Place, value: Value, mask: Mask, frame: Frame, node: Expr, record: boolean): void {
    switch (place.kind) {
      case 'value':
        return;
      case 'cell': {
        const cell = place.cell;
        const next = this.convert(value, place.type);
        if (place.path.length === 0) {
          cell.value =
            cell.value && cell.value.type.kind === next.type.kind ? this.merge(cell.value, next, mask) : next;
          if (cell.type.kind === 'unknown') cell.type = next.type;
          return;
        }
        const put = (object: Value | undefined, at: number, type: Type): Value => {
          const part = place.path[at]!;
          const fieldType: Type =
            type.kind === 'struct'
              ? (type.fields.get(part)?.type ?? { kind: 'unknown', name: part })
              : { kind: 'unknown', name: part };
          const fields = new Map(object?.fields ?? []);
          const old = fields.get(part);
          fields.set(
            part,
            at === place.path.length - 1
              ? old
                ? this.merge(old, next, mask)
                : next
              : put(old ?? (object ? this.fieldOf(object, part, fieldType) : undefined), at + 1, fieldType),
          );
          return { type, lanes: 0, taint: object?.taint ?? 0, ...(object?.key ? { key: object.key } : {}), fields };
        };
        cell.value = put(cell.value, 0, cell.type.kind === 'unknown' ? { kind: 'unknown', name: 'struct' } : cell.type);
        return;
      }
      case 'memory': {
        if (place.type.kind === 'array') return;
        if (record && (!place.base.elements || typeof place.offset !== 'number'))
          this.record(place, 'store', mask, frame, node);
        if (place.base.elements) {
          const elements = place.base.elements;
          if (!variesInBlock(place.offset, mask)) {
            const offset = firstActive(place.offset, mask);
            const old = elements.get(offset);
            const next = this.convert(value, place.type);
            if (elements.size < 4096)
              elements.set(
                offset,
                old && !(place.taint & (Taint.chosen | uncertain)) ? this.merge(old, next, mask) : next,
              );
          } else
            elements.forEach((old, key) => elements.set(key, { ...old, taint: old.taint | value.taint | Taint.maybe }));
        }
        return;
      }
    }
  }

  // ---- records -----------------------------------------------------------------------------------------------------

  private record(
    place: Place & { kind: 'memory' },
    mode: AccessRecord['mode'],
    mask: Mask,
    frame: Frame,
    node: Expr,
  ): void {
    if (this.setup.host || this.quiet || mask.count === 0 || place.base.name === '"') return;
    const { base, type } = place;
    if (base.space === 'unknown') return;
    const size = sizeOf(type) ?? 4;
    if (size === 0) return;
    // One machine instruction moves at most 16 bytes, and no more than the type's alignment allows.
    const unit = Math.min(size, 16, type.kind === 'struct' ? largestPower(Math.min(16, alignOf(type))) : size);
    const pieces = Math.min(16, Math.max(1, Math.ceil(size / unit)));
    let list = this.accesses.get(node);
    if (!list) {
      list = [];
      this.accesses.set(node, list);
    }
    const shadow = this.shadow > 0;
    let record = list.find(
      (candidate) =>
        candidate.mode === mode && candidate.base === base && candidate.bytes === unit && candidate.shadow === shadow,
    );
    if (!record) {
      if (list.length > 12) return;
      record = {
        node,
        expr: node,
        fn: frame.fn ?? this.setup.fn,
        space: base.space,
        mode,
        base,
        type,
        bytes: unit,
        pieces,
        loops: [...this.loopStack].reverse(),
        ...(frame.via ? { via: frame.via } : {}),
        sectors: 0,
        sectorsIdeal: 0,
        wavefronts: 0,
        wavefrontsIdeal: 0,
        warps: 0,
        lanes: 0,
        taint: 0,
        stride: undefined,
        sample: undefined,
        shadow,
        byData: false,
      };
      list.push(record);
    }
    record.taint |= place.taint;
    if (this.byData) record.byData = true;
    if (place.strideName && !record.strideName) record.strideName = place.strideName;
    if (place.taint & (Taint.chosen | Taint.block | Taint.loadedUniform)) this.choseNumbers = true;
    if (base.space === 'shared') {
      for (let piece = 0; piece < pieces; piece++)
        this.pendingShared.push({
          record,
          offset: piece ? map1(place.offset, (a) => a + piece * unit) : place.offset,
          bytes: unit,
          mask,
          weight: 1,
        });
      if (mode !== 'load') {
        const own = this.pendingShared.filter((entry) => entry.record.mode === 'load' && entry.record.base === base);
        if (own.length) this.flushOnly(own);
      } else {
        const own = this.pendingShared.filter((entry) => entry.record.mode !== 'load' && entry.record.base === base);
        if (own.length) this.flushOnly(own);
      }
      if (this.pendingShared.length > 64) this.flushShared();
      return;
    }
    if (base.space === 'global') this.flushFieldsThatMeet(base, mode);
    const part =
      place.part && place.part.type === type && pieces === 1 && place.part.alignment >= 2 * unit
        ? place.part
        : undefined;
    if (part && base.space === 'global' && mode !== 'atomic') {
      this.pendingFields.push({
        record,
        offset: place.offset,
        bytes: unit,
        mask,
        at: part.offset,
        chunk: Math.min(16, part.alignment),
      });
      if (this.pendingFields.length > 64) this.flushFields(this.pendingFields.splice(0));
      return;
    }
    for (let piece = 0; piece < pieces; piece++)
      this.count(record, piece ? map1(place.offset, (a) => a + piece * unit) : place.offset, unit, mask);
  }

  /** Accesses to fields of aligned structures in global memory that wait for their neighbours. */
  private pendingFields: PendingField[] = [];

  /** What another pointer may reach keeps its order: a store ends the wait of fields of other arrays, a load that of their stores. */
  private flushFieldsThatMeet(base: MemoryBase, mode: AccessRecord['mode']): void {
    if (!this.pendingFields.length) return;
    const meets = (entry: PendingField): boolean =>
      (mode === 'atomic' && entry.record.base === base) ||
      (entry.record.base !== base &&
        !entry.record.base.restrict &&
        !base.restrict &&
        (mode !== 'load' || entry.record.mode !== 'load'));
    const met = this.pendingFields.filter(meets);
    if (!met.length) return;
    this.pendingFields = this.pendingFields.filter((entry) => !meets(entry));
    this.flushFields(met);
  }

  /**
   * Accounts fields of one aligned structure as nvcc moves them: `p[i].x` and `p[i].y` of a `float4` in one stretch of straight code are one
   * vector load, gaps included, counted where the first stands; stores join where they fill an aligned piece, counted where the last stands.
   */
  private flushFields(pending: readonly PendingField[]): void {
    const left = [...pending];
    while (left.length) {
      const first = left.shift()!;
      const together = [first];
      for (let at = 0; at < left.length; ) {
        const other = left[at]!;
        const same =
          other.record.base === first.record.base &&
          other.record.mode === first.record.mode &&
          other.mask === first.mask &&
          other.chunk === first.chunk &&
          Math.floor(other.at / first.chunk) === Math.floor(first.at / first.chunk) &&
          constantDelta(first.offset, other.offset, first.mask) === other.at - first.at;
        if (same) {
          together.push(other);
          left.splice(at, 1);
        } else at++;
      }
      if (together.every((entry) => entry.at === first.at)) {
        for (const entry of together) this.count(entry.record, entry.offset, entry.bytes, entry.mask);
        continue;
      }
      const pieces = first.record.mode === 'load' ? covering(together) : joined(together);
      for (const piece of pieces)
        this.count(
          piece.entry.record,
          map1(piece.entry.offset, (a) => a + piece.at - piece.entry.at),
          piece.bytes,
          piece.entry.mask,
        );
    }
  }

  private readonly addressBuffer = new Float64Array(32);
  private readonly laneBuffer = new Uint8Array(32);

  private count(record: AccessRecord, offset: Lanes, bytes: number, mask: Mask): void {
    const shared = record.space === 'shared';
    for (let warp = 0; warp < this.threads; warp += 32) {
      let active = 0;
      const end = Math.min(this.threads, warp + 32);
      for (let at = warp; at < end; at++)
        if (mask.bits[at]) {
          this.addressBuffer[active] = typeof offset === 'number' ? offset : offset[at]!;
          this.laneBuffer[active] = at - warp;
          active++;
        }
      if (!active) continue;
      record.warps++;
      record.lanes += active;
      if (shared) {
        const { wavefronts, ideal } = wavefrontsOf(this.addressBuffer, this.laneBuffer, active, bytes);
        record.wavefronts += wavefronts;
        record.wavefrontsIdeal += ideal;
      } else {
        const { sectors, ideal } = sectorsOf(this.addressBuffer, active, bytes);
        record.sectors += sectors;
        record.sectorsIdeal += ideal;
      }
      let stride: number | null | undefined;
      for (let at = 1; at < active; at++) {
        const step =
          (this.addressBuffer[at]! - this.addressBuffer[at - 1]!) / (this.laneBuffer[at]! - this.laneBuffer[at - 1]!);
        if (stride === undefined) stride = step;
        else if (stride !== step) {
          stride = null;
          break;
        }
      }
      if (active > 1) record.stride = record.stride === undefined ? stride : record.stride === stride ? stride : null;
      if (
        !record.sample ||
        record.sample.count < active ||
        (record.sample.count === active && record.sample.uniform && stride !== 0)
      )
        record.sample = {
          addresses: this.addressBuffer.slice(0, active),
          lanes: this.laneBuffer.slice(0, active),
          count: active,
          uniform: stride === 0,
        };
    }
  }

  /** Accounts shared accesses that wait, neighbours fused as nvcc fuses them: `T[a]` and `T[a + 1]` with an even `a` become one access of twice the size, counted where the later stands. */
  private flushShared(): void {
    if (this.pendingFields.length && !this.selecting) this.flushFields(this.pendingFields.splice(0));
    if (!this.pendingShared.length) return;
    const pending = this.pendingShared;
    this.pendingShared = [];
    this.flushOnlyList(pending);
  }
  private flushOnly(entries: Interpreter['pendingShared']): void {
    const chosen = new Set(entries);
    this.pendingShared = this.pendingShared.filter((entry) => !chosen.has(entry));
    this.flushOnlyList(entries);
  }
  private flushOnlyList(pending: Interpreter['pendingShared']): void {
    let list = pending;
    // Equal loads of one place in a row are one instruction.
    for (let size = 1; size <= 8; size *= 2) {
      const fused: Interpreter['pendingShared'] = [];
      const used = new Set<number>();
      for (let at = 0; at < list.length; at++) {
        if (used.has(at)) continue;
        const first = list[at]!;
        let partner = -1;
        if (first.bytes === size && size >= 4 && first.record.mode !== 'atomic') {
          for (let other = at + 1; other < list.length; other++) {
            const second = list[other]!;
            if (
              used.has(other) ||
              second.bytes !== size ||
              second.record.base !== first.record.base ||
              second.record.mode !== first.record.mode ||
              second.mask !== first.mask
            )
              continue;
            const delta = constantDelta(first.offset, second.offset, first.mask);
            if (delta === size && alignedTo(first.offset, 2 * size, first.mask)) {
              partner = other;
              break;
            }
            if (delta === -size && alignedTo(second.offset, 2 * size, first.mask)) {
              partner = other;
              break;
            }
          }
        }
        if (partner < 0) {
          fused.push(first);
          continue;
        }
        used.add(partner);
        const second = list[partner]!;
        const lower = constantDelta(first.offset, second.offset, first.mask)! > 0 ? first.offset : second.offset;
        fused.push({ record: second.record, offset: lower, bytes: 2 * size, mask: first.mask, weight: 1 });
      }
      list = fused;
    }
    for (const entry of list) this.count(entry.record, entry.offset, entry.bytes, entry.mask);
  }

  private barrier(node: Node, name: string, scope: 'block' | 'warp', mask: Mask, frame: Frame): void {
    this.flushShared();
    if (this.setup.host) return;
    let record = this.barriers.get(node);
    if (!record) {
      record = { node, fn: frame.fn ?? this.setup.fn, name, scope, proven: false };
      this.barriers.set(node, record);
    }
    // `if (t < 32)` sends whole warps in: their lanes all meet, whatever the rest of the block does.
    const wholeWarps = scope === 'warp' && this.holdsWholeWarps(mask);
    const parts = (candidate: Condition): boolean =>
      (scope === 'warp' ? candidate.hangsInWarp : candidate.hangsInBlock) ||
      (candidate.varies && !(wholeWarps && (candidate.taint & Taint.loaded) === 0));
    const condition = this.conditions.findLast(parts);
    if (condition && !record.under) record.under = { cond: condition.cond, fn: condition.fn };
    if (this.earlyReturn && parts(this.earlyReturn) && !record.afterReturn)
      record.afterReturn = { cond: this.earlyReturn.cond, fn: this.earlyReturn.fn };
    if (!this.unsure && !this.shadow && (condition?.varies || this.earlyReturn?.varies)) {
      if (scope === 'block' && mask.count < this.threads) record.proven = true;
      if (scope === 'warp')
        for (let warp = 0; warp < this.threads; warp += 32) {
          let active = 0;
          const end = Math.min(this.threads, warp + 32);
          for (let at = warp; at < end; at++) active += mask.bits[at]!;
          if (active && active < end - warp) record.proven = true;
        }
    }
  }

  /**
   * Do the two sides of a comparison differ between the lanes of a warp, or the threads of the block? `row < rows` with `row = t / 32` does not within a
   * warp, whatever `rows` is; `*flag == 1` does not at all. Sides that do more than compute are not evaluated again: what they load at one address is one value.
   */
  private comparesLanes(
    varies: (lanes: Lanes, mask: Mask) => boolean,
    cond: Expr,
    value: Value,
    mask: Mask,
    frame: Frame,
  ): boolean {
    if (typeof value.lanes !== 'number') return varies(value.lanes, mask);
    if (cond.kind === 'unary' && cond.op === '!') return this.comparesLanes(varies, cond.operand, value, mask, frame);
    if (cond.kind === 'binary' && (cond.op === '&&' || cond.op === '||'))
      return (
        this.comparesLanes(varies, cond.left, value, mask, frame) ||
        this.comparesLanes(varies, cond.right, value, mask, frame)
      );
    const differs = ({ lanes, taint }: Value): boolean =>
      (taint & Taint.loaded) !== 0 || (typeof lanes !== 'number' && varies(lanes, mask));
    if (cond.kind !== 'binary')
      return computesOnly(cond) ? differs(this.eval(cond, mask, frame)) : (value.taint & Taint.loaded) !== 0;
    const [left, right] = [cond.left, cond.right].map((side) =>
      computesOnly(side) ? this.eval(side, mask, frame) : undefined,
    );
    if (!((left && differs(left)) || (right && differs(right))))
      return (!left || !right) && (value.taint & Taint.loaded) !== 0;
    // A guard against the kernel's own parameter is there for launches where it matters, whatever the one in sight hands over.
    const bound = typeof right?.lanes === 'number' ? cond.right : cond.left;
    if (bound.kind === 'name' && this.setup.fn.params.some((param) => param.name === bound.name)) return true;
    return !(
      left &&
      right &&
      /^[<>]=?$/.test(cond.op) &&
      this.endsEvenly(cond.op, left, right, varies === variesInWarp ? 32 : this.threads, mask)
    );
  }
  /**
   * Does `i < end` end between groups of threads, whatever their number is? `end = (n + 255) / 256 * 256` does for blocks of 256 whose `i` run on by one. A chosen
   * number shows that only where it is no multiple of anything by choice.
   */
  private endsEvenly(op: string, left: Value, right: Value, span: number, mask: Mask): boolean {
    if (
      (left.taint | right.taint) & uncertain ||
      left.base ||
      right.base ||
      (this.setup.variant === 'aligned' &&
        (left.taint | right.taint) & (Taint.chosen | Taint.loadedUniform | Taint.assumed))
    )
      return false;
    const leftVaries = typeof left.lanes !== 'number';
    if (leftVaries === (typeof right.lanes !== 'number')) return false;
    const end = (leftVaries ? right.lanes : left.lanes) as number;
    const lanes = (leftVaries ? left.lanes : right.lanes) as Float64Array;
    // The first number beyond the bound, seen from the varying side: `i <= end` and `end < i` part between end and end + 1.
    const beyond = op === (leftVaries ? '<=' : '<') || op === (leftVaries ? '>' : '>=') ? end + 1 : end;
    for (let from = 0; from < this.threads; from += span) {
      const numbers = new Set<number>();
      for (let at = from; at < Math.min(this.threads, from + span); at++) if (mask.bits[at]) numbers.add(lanes[at]!);
      if (numbers.size < 2) continue;
      const sorted = [...numbers].sort((a, b) => a - b);
      const step = sorted[1]! - sorted[0]!;
      if (
        sorted.some((number, at) => at > 0 && number - sorted[at - 1]! !== step) ||
        (beyond - sorted[0]!) % (step * sorted.length) !== 0
      )
        return false;
    }
    return true;
  }

  private holdsWholeWarps(mask: Mask): boolean {
    for (let warp = 0; warp < this.threads; warp += 32) {
      const end = Math.min(this.threads, warp + 32);
      for (let at = warp + 1; at < end; at++) if (mask.bits[at] !== mask.bits[warp]) return false;
    }
    return true;
  }

  // ---- calls -------------------------------------------------------------------------------------------------------

  private construct(type: Type, elements: readonly Expr[], mask: Mask, frame: Frame, node: Node): Value {
    const values = elements.map((element, at) =>
      this.eval(element, mask, frame, type.kind === 'struct' ? [...type.fields.values()][at]?.type : undefined),
    );
    if (type.kind === 'scalar' || type.kind === 'pointer' || type.kind === 'unknown')
      return values[0] ? this.convert(values[0], type) : { type, lanes: 0, taint: 0 };
    if (type.kind !== 'struct') return values[0] ?? this.zero(type);
    if (values.length === 1 && values[0]!.type.kind === 'struct' && values[0]!.type.name === type.name)
      return values[0]!;
    if (type.name === 'dim3') {
      const part = (at: number): Value =>
        values[at] ? this.convert(values[at]!, unsignedType) : { type: unsignedType, lanes: 1, taint: 0 };
      if (values.length === 1 && values[0]!.type.kind === 'struct') return values[0]!;
      return {
        type,
        lanes: 0,
        taint: 0,
        fields: new Map([
          ['x', part(0)],
          ['y', part(1)],
          ['z', part(2)],
        ]),
      };
    }
    const constructor = type.decl
      ? this.methods(type, type.decl.name, values.length).find((fn) => fn.body && fn.params.length >= values.length)
      : undefined;
    if (constructor && values.length && frame.depth < 6) {
      const cell: Cell = { name: type.name, type, value: this.emptyStruct(type) };
      this.call(constructor, values, undefined, { kind: 'cell', cell, path: [], type }, mask, frame, node);
      return cell.value!;
    }
    const fields = new Map<string, Value>(this.emptyStruct(type).fields);
    [...type.fields].forEach(([name, field], at) => {
      if (values[at]) fields.set(name, this.convert(values[at]!, field.type));
    });
    return { type, lanes: 0, taint: 0, fields, key: type.name };
  }

  private evalCall(expr: CallExpr, mask: Mask, frame: Frame, wanted?: Type): Value {
    const { callee } = expr;
    if (callee.kind === 'member') return this.methodCall(expr, callee, mask, frame);
    if (callee.kind === 'name') {
      const name = lastPart(callee.name);
      const cell = this.lookup(callee.name, frame);
      if (cell) {
        const held = this.load(this.cellPlace(cell), mask, frame, callee);
        if (held.lambda) return this.callLambda(held.lambda.expr, held.lambda.frame, expr.args, mask, frame, expr);
        if (held.type.kind === 'struct') return this.functorCall(this.cellPlace(cell), held.type, expr, mask, frame);
      }
      const intrinsic = this.intrinsic(name, expr, mask, frame);
      if (intrinsic) return intrinsic;
      const functions = this.setup.program.functions(callee.name);
      if (functions.length && frame.depth < maximumCallDepth) {
        const args = expr.args.map((arg) => ({ expr: arg }));
        const fitting = functions.filter(
          (fn) =>
            fn.body &&
            !fn.global &&
            fn.params.length >= args.length &&
            fn.params.slice(args.length).every((param) => param.init || param.pack) &&
            (!fn.className ||
              fn.className === frame.within ||
              (frame.within ?? '').endsWith(lastPart(fn.className)) ||
              callee.name.includes('::')),
        );
        if (fitting.length) {
          const values = expr.args.map((arg) => this.eval(arg, mask, frame));
          const best = this.pickOverload(fitting, values, frame, callee.name);
          const method = best.className !== undefined && frame.self !== undefined;
          return this.call(
            best,
            values,
            callee.templateArgs,
            method ? frame.self : undefined,
            mask,
            frame,
            expr,
            expr.args,
          );
        }
      }
      const type = this.setup.types.resolve(
        { kind: 'named', name: callee.name, ...(callee.templateArgs ? { args: callee.templateArgs } : {}) },
        frame.bindings,
        frame.within,
      );
      if (type.kind === 'struct' || type.kind === 'scalar') return this.construct(type, expr.args, mask, frame, expr);
      return this.unknownCall(name, expr, mask, frame, wanted);
    }
    const target = this.eval(callee, mask, frame);
    if (target.lambda) return this.callLambda(target.lambda.expr, target.lambda.frame, expr.args, mask, frame, expr);
    if (target.type.kind === 'struct')
      return this.functorCall({ kind: 'value', value: target, type: target.type }, target.type, expr, mask, frame);
    return this.unknownCall('call', expr, mask, frame, wanted);
  }

  private pickOverload(
    functions: readonly FunctionDecl[],
    values: readonly Value[],
    frame: Frame,
    name: string,
  ): FunctionDecl {
    let best = functions[0]!;
    let bestScore = -1;
    for (const fn of functions) {
      let score =
        (fn.device !== this.setup.host ? 4 : 0) +
        (fn.params.length === values.length ? 4 : 0) +
        (fn.qualifiedName === name ? 8 : 0);
      fn.params.forEach((param, at) => {
        const given = values[at]?.type;
        if (!given) return;
        const type = stripReference(this.setup.types.resolve(param.type, frame.bindings, frame.within));
        if (type.kind === given.kind && typeName(type) === typeName(given)) score += 3;
        else if (type.kind === given.kind) score += 1;
      });
      if (score > bestScore) {
        best = fn;
        bestScore = score;
      }
    }
    return best;
  }

  private functorCall(self: Place, type: StructType, expr: CallExpr, mask: Mask, frame: Frame): Value {
    const method = this.methods(type, 'operator()', expr.args.length)[0];
    if (!method || frame.depth >= maximumCallDepth) return this.unknownCall('operator()', expr, mask, frame);
    return this.call(
      method,
      expr.args.map((arg) => this.eval(arg, mask, frame)),
      undefined,
      self,
      mask,
      frame,
      expr,
      expr.args,
    );
  }

  private methodCall(expr: CallExpr, callee: Expr & { kind: 'member' }, mask: Mask, frame: Frame): Value {
    const place = callee.arrow
      ? this.deref(this.eval(callee.object, mask, frame), callee)
      : this.place(callee.object, mask, frame);
    const type = place.type;
    const group = this.cooperativeMethod(place, callee.field, expr, mask, frame);
    if (group) return group;
    if (type.kind === 'struct' && frame.depth < maximumCallDepth) {
      const field = type.fields.get(callee.field);
      if (field) {
        const held = this.load(this.fieldPlace(place, callee.field, callee), mask, frame, callee);
        if (held.lambda) return this.callLambda(held.lambda.expr, held.lambda.frame, expr.args, mask, frame, expr);
      }
      const methods = this.methods(type, callee.field, expr.args.length);
      if (methods.length) {
        const values = expr.args.map((arg) => this.eval(arg, mask, frame));
        return this.call(
          this.pickOverload(methods, values, frame, callee.field),
          values,
          callee.templateArgs,
          place,
          mask,
          frame,
          expr,
          expr.args,
        );
      }
    }
    return this.unknownCall(callee.field, expr, mask, frame);
  }

  /** Runs a function's body in place of the call. `argExprs` lets reference parameters bind to the caller's variables. */
  private call(
    fn: FunctionDecl,
    values: readonly Value[],
    templateArgs: readonly TemplateArg[] | undefined,
    self: Place | undefined,
    mask: Mask,
    frame: Frame,
    node: Node,
    argExprs?: readonly Expr[],
  ): Value {
    if (frame.depth >= maximumCallDepth || !fn.body) return this.zero(intType);
    this.functions.add(fn.key);
    if (this.setup.host && frame.depth <= 6) this.setup.reached?.add(fn.key);
    const outer =
      self?.type.kind === 'struct' && self.type.bindings
        ? self.type.bindings
        : fn.className && frame.within === fn.className
          ? frame.bindings
          : noBindings;
    const bindings = this.bindCall(
      fn,
      values,
      templateArgs,
      outer,
      frame.bindings,
      templateArgs?.length ? this.templateNumbers(templateArgs, mask, frame) : undefined,
    );
    const inner = this.frameFor(
      fn,
      bindings,
      self,
      frame.via ?? (frame.depth === 0 ? node : frame.via),
      frame.depth + 1,
    );
    fn.params.forEach((param, at) => {
      if (!param.name) return;
      const type = this.setup.types.resolve(param.type, bindings, inner.within);
      const argExpr = argExprs?.[at];
      if (
        type.kind === 'reference' &&
        argExpr &&
        (argExpr.kind === 'name' ||
          argExpr.kind === 'index' ||
          argExpr.kind === 'member' ||
          (argExpr.kind === 'unary' && argExpr.op === '*'))
      ) {
        // The argument's place was already read for its value; binding it again must not count its accesses twice.
        const shadowBefore = this.quiet;
        this.quiet = true;
        const place = this.place(argExpr, mask, frame);
        this.quiet = shadowBefore;
        if (place.kind !== 'value') {
          inner.scopes[0]!.set(param.name, { name: param.name, type: place.type, ref: place, node: param, fn });
          return;
        }
      }
      const plain = stripReference(type);
      let value = values[at];
      if (!value && param.init) value = this.eval(param.init, mask, inner);
      const declared = plain.kind === 'unknown' && value ? decay(value.type) : plain;
      inner.scopes[0]!.set(param.name, {
        name: param.name,
        type: declared,
        value: value ? this.convert(value, declared) : this.chosen(param.name, declared),
        node: param,
        fn,
      });
    });
    inner.conditionsBefore = this.conditions.length;
    const unfinished = !this.within(frame, 3, () => this.exec(fn.body!, mask, inner));
    if (unfinished && !inner.result) {
      const type = stripReference(this.setup.types.resolve(fn.returns, bindings, inner.within));
      return this.unseen(
        type,
        `${fn.name}()`,
        Taint.chosen | Taint.maybe | values.reduce((sum, value) => sum | value.taint, 0),
      );
    }
    if (inner.resultPlace)
      return { type: { kind: 'reference', to: inner.resultPlace.type }, lanes: 0, taint: 0, target: inner.resultPlace };
    const returns = this.setup.types.resolve(fn.returns, bindings, inner.within);
    return inner.result
      ? returns.kind === 'unknown'
        ? inner.result
        : this.convert(inner.result, stripReference(returns))
      : this.zero(voidType);
  }
  private quiet = false;

  /** Runs `work` on at most one part in `share` of what is left of the budget; what does not end within it is left where it is, and the rest goes on. */
  private within(frame: Frame, share: number, work: () => void): boolean {
    const before = this.left;
    const allotted = Math.floor(before / share);
    const state = {
      scopes: frame.scopes.length,
      loops: frame.loops.length,
      conditions: this.conditions.length,
      stack: this.loopStack.length,
      unsure: this.unsure,
      byData: this.byData,
      shadow: this.shadow,
      quiet: this.quiet,
    };
    this.left = allotted;
    try {
      work();
      this.left += before - allotted;
      return true;
    } catch (error) {
      if (!(error instanceof Exhausted) || before < 2000 * this.cost) throw error;
      this.left = before - allotted;
      frame.scopes.length = state.scopes;
      frame.loops.length = state.loops;
      this.conditions.length = state.conditions;
      this.loopStack.length = state.stack;
      this.unsure = state.unsure;
      this.byData = state.byData;
      this.shadow = state.shadow;
      this.quiet = state.quiet;
      return false;
    }
  }

  private callLambda(
    lambda: LambdaExpr,
    definedIn: Frame,
    args: readonly Expr[],
    mask: Mask,
    frame: Frame,
    node: Node,
  ): Value {
    if (frame.depth >= maximumCallDepth) return this.zero(intType);
    const scope = new Map<string, Cell>();
    const values = args.map((arg) => this.eval(arg, mask, frame));
    const inner: Frame = {
      ...definedIn,
      scopes: [...definedIn.scopes, scope],
      depth: frame.depth + 1,
      loops: [],
      ...((frame.via ?? frame.depth === 0) ? { via: frame.via ?? node } : {}),
    };
    delete inner.returned;
    delete inner.result;
    delete inner.resultPlace;
    lambda.params.forEach((param, at) => {
      const type = stripReference(this.setup.types.resolve(param.type, definedIn.bindings, definedIn.within));
      const value = values[at] ?? this.chosen(param.name, type);
      scope.set(param.name, {
        name: param.name,
        type: type.kind === 'unknown' ? value.type : type,
        value,
        node: param,
        ...(definedIn.fn ? { fn: definedIn.fn } : {}),
      });
    });
    inner.conditionsBefore = this.conditions.length;
    this.exec(lambda.body, mask, inner);
    return inner.result ?? this.zero(voidType);
  }

  private bindCall(
    fn: FunctionDecl,
    values: readonly Value[],
    templateArgs: readonly TemplateArg[] | undefined,
    outer: Bindings,
    caller: Bindings,
    templateNumbers?: readonly (number | undefined)[],
  ): Bindings {
    if (!fn.templateParams?.length) return outer;
    const own = ownTemplateParams(fn);
    const explicit = templateArgs?.length
      ? this.setup.types.bind(own.slice(0, templateArgs.length), templateArgs, caller)
      : noBindings;
    const types = new Map<string, Type>([...outer.types, ...explicit.types]);
    const numbers = new Map<string, number>([...outer.values, ...explicit.values]);
    templateNumbers?.forEach((number, at) => {
      const param = own[at];
      if (param?.kind === 'value' && number !== undefined) numbers.set(param.name, number);
    });
    deduce(
      own,
      fn.params.map((param) => param.type),
      values.map((value) => value.type),
      types,
      numbers,
    );
    const scope: Bindings = { types, values: numbers };
    own.forEach((param) => {
      if (param.kind === 'value' && param.default && !numbers.has(param.name)) {
        const value = this.setup.types.constant(param.default, scope);
        if (value !== undefined) numbers.set(param.name, value);
      }
      if (param.kind === 'type' && param.default && !types.has(param.name))
        types.set(param.name, this.setup.types.resolve(param.default, scope));
    });
    return scope;
  }

  private unknownCall(name: string, expr: CallExpr, mask: Mask, frame: Frame, wanted?: Type): Value {
    let taint = 0;
    let varying: Lanes | undefined;
    if (expr.callee.kind === 'member') {
      const object = this.place(expr.callee.object, mask, frame);
      if (object.kind === 'value') taint |= object.value.taint;
    }
    for (const arg of expr.args) {
      if (arg.kind === 'unary' && arg.op === '&' && (arg.operand.kind === 'name' || arg.operand.kind === 'member')) {
        const place =
          arg.operand.kind === 'name' && !this.namePlace(arg.operand, frame)
            ? undefined
            : this.place(arg.operand, mask, frame);
        if (place?.kind === 'cell') {
          const type = place.type;
          this.store(
            place,
            type.kind === 'pointer'
              ? this.unseen(type, place.cell.name, 0)
              : this.chosen(`${place.cell.name}&${name}`, type),
            mask,
            frame,
            arg.operand,
            false,
          );
          continue;
        }
      }
      const value = this.eval(arg, mask, frame);
      taint |= value.taint;
      if (typeof value.lanes !== 'number' && !value.base && variesInWarp(value.lanes, mask)) varying = value.lanes;
    }
    const float = floatResult(name);
    const type = wanted && wanted.kind !== 'unknown' ? wanted : (float ?? wanted ?? intType);
    if (varying)
      return {
        type,
        lanes: map1(varying, (a) => 1024 * (64 + (Math.imul(Math.trunc(a) | 0, 0x9e3779b1) >>> 20))),
        taint: taint | (float ? 0 : Taint.hash) | Taint.thread,
      };
    return this.unseen(type, `${name}()`, Taint.chosen | taint);
  }

  private evalLaunch(expr: LaunchExpr, mask: Mask, frame: Frame): Value {
    if (!this.setup.host) {
      expr.args.forEach((arg) => this.eval(arg, mask, frame));
      return this.zero(voidType);
    }
    const [grid, block, shared] = [0, 1, 2].map((at) =>
      expr.config[at] ? this.eval(expr.config[at]!, mask, frame, at < 2 ? dim3Type : undefined) : undefined,
    );
    const args = expr.args.map((arg) => this.eval(arg, mask, frame));
    const callee = calleeOf(expr.callee);
    const held = callee ? this.lookup(callee.name, frame)?.value : undefined;
    const kernelName = held?.function?.[0]?.name ?? callee?.name;
    if (kernelName && grid && block && this.launches.length < 512)
      this.launches.push({
        node: expr,
        fn: frame.fn ?? this.setup.fn,
        kernelName,
        templateArgs: callee?.templateArgs,
        templateNumbers: this.templateNumbers(callee?.templateArgs, mask, frame),
        bindings: frame.bindings,
        grid,
        block,
        args,
        ...(shared ? { sharedBytes: shared } : {}),
        argExprs: expr.args,
      });
    return this.zero(voidType);
  }

  /** Template arguments that are numbers in this frame: constants of the function among them, which no declaration outside it tells. */
  private templateNumbers(args: readonly TemplateArg[] | undefined, mask: Mask, frame: Frame): (number | undefined)[] {
    return (args ?? []).map((arg) => {
      const name = 'expr' in arg ? undefined : arg.type.kind === 'named' && !arg.type.args ? arg.type.name : undefined;
      if (name !== undefined && !this.lookup(name, frame)) return undefined;
      if (name === undefined && !('expr' in arg)) return undefined;
      const value = this.eval('expr' in arg ? arg.expr : { kind: 'name', name: name!, start: 0, end: 0 }, mask, frame);
      return typeof value.lanes === 'number' &&
        value.type.kind === 'scalar' &&
        !(value.taint & ~Taint.thread & ~Taint.block)
        ? value.lanes
        : undefined;
    });
  }

  /** CUDA's own functions and the C library's arithmetic. */
  private intrinsic(name: string, expr: CallExpr, mask: Mask, frame: Frame): Value | undefined {
    const arg = (at: number): Value => (expr.args[at] ? this.eval(expr.args[at]!, mask, frame) : this.zero(intType));
    if (name.startsWith('__')) {
      switch (name) {
        case '__syncthreads':
          this.barrier(expr, name, 'block', mask, frame);
          return this.zero(voidType);
        case '__syncthreads_count':
        case '__syncthreads_and':
        case '__syncthreads_or':
          arg(0);
          this.barrier(expr, name, 'block', mask, frame);
          return {
            type: intType,
            lanes: this.chosenNumber(`${name}@${expr.start}`),
            taint: Taint.chosen | Taint.loadedUniform,
          };
        case '__syncwarp':
          if (!expr.args.length || isFullMask(arg(0))) this.barrier(expr, name, 'warp', mask, frame);
          else this.flushShared();
          return this.zero(voidType);
        case '__threadfence':
        case '__threadfence_block':
        case '__threadfence_system':
          this.flushShared();
          return this.zero(voidType);
        case '__ldg':
        case '__ldcg':
        case '__ldca':
        case '__ldcs':
        case '__ldlu':
        case '__ldcv': {
          const pointer = arg(0);
          return this.load(this.deref(pointer, expr), mask, frame, pointedAt(expr.args[0]) ?? expr);
        }
        case '__stcs':
        case '__stcg':
        case '__stwb':
        case '__stwt': {
          const pointer = arg(0);
          const value = arg(1);
          this.store(this.deref(pointer, expr), value, mask, frame, pointedAt(expr.args[0]) ?? expr, true);
          return this.zero(voidType);
        }
        case '__popc':
        case '__popcll':
          return this.each(arg(0), (a) => {
            let bits = 0;
            for (let rest = Math.abs(Math.trunc(a)); rest >= 1; rest = Math.floor(rest / 2)) bits += rest % 2;
            return bits;
          });
        case '__clz':
          return this.each(arg(0), (a) => Math.clz32(a));
        case '__ffs':
          return this.each(arg(0), (a) => (a === 0 ? 0 : 32 - Math.clz32(a & -a)));
        case '__mul24':
        case '__umul24':
          return this.arithmetic('*', arg(0), arg(1), mask, undefined);
        case '__umulhi':
        case '__mulhi': {
          const a = arg(0);
          const b = arg(1);
          return {
            type: intType,
            lanes: map2(a.lanes, b.lanes, this.threads, (x, y) => Math.floor((x * y) / 4294967296)),
            taint: a.taint | b.taint | Taint.assumed,
          };
        }
        case '__activemask':
          return { type: unsignedType, lanes: 4294967295, taint: Taint.chosen };
        case '__float2int_rn':
        case '__float2int_rz':
        case '__float2int_rd':
        case '__float2int_ru':
        case '__float2uint_rn':
        case '__double2int_rn':
        case '__double2int_rz':
        case '__float2int':
        case '__double2int_rd':
          return this.convert(
            this.each(
              arg(0),
              name.endsWith('_rd')
                ? Math.floor
                : name.endsWith('_ru')
                  ? Math.ceil
                  : name.endsWith('_rn')
                    ? Math.round
                    : Math.trunc,
            ),
            intType,
          );
        case '__int2float_rn':
        case '__uint2float_rn':
          return { ...arg(0), type: floatType };
        default:
          break;
      }
      const shuffle = /^__shfl(_up|_down|_xor)?(_sync)?$/.exec(name);
      if (shuffle) return this.shuffle(shuffle[1] ?? '', !!shuffle[2], expr, mask, frame);
      if (/^__(ballot|any|all|match_any|match_all|reduce_\w+)(_sync)?$/.test(name)) {
        const values = expr.args.map((_, at) => arg(at));
        if (name.endsWith('_sync') && isFullMask(values[0]!)) this.barrier(expr, name, 'warp', mask, frame);
        return {
          type: unsignedType,
          lanes: this.chosenNumber(`${name}@${expr.start}`),
          taint: Taint.chosen | Taint.loadedUniform | Taint.maybe,
        };
      }
      if (/^__(half|float|h|f|d|low|high|bfloat|lows|highs)/.test(name)) {
        const values = expr.args.map((_, at) => arg(at));
        return { type: floatType, lanes: 1, taint: values.reduce((sum, value) => sum | value.taint, 0) };
      }
      return undefined;
    }
    if (/^atomic(Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(_block|_system)?$/.test(name) && expr.args.length) {
      const pointer = arg(0);
      expr.args.slice(1).forEach((_, at) => arg(at + 1));
      const place = this.deref(pointer, expr);
      if (place.kind === 'memory') {
        this.record(place, 'atomic', mask, frame, pointedAt(expr.args[0]) ?? expr);
        this.flushShared();
      }
      const type = place.type;
      const lanes =
        type.kind === 'scalar' && type.float
          ? 1
          : this.threads > 1
            ? Float64Array.from({ length: this.threads }, (_, at) => 1024 * (70 + ((at * 7919) % 4093)))
            : this.chosenNumber(`${name}@${expr.start}`);
      return { type, lanes, taint: Taint.loaded | Taint.thread };
    }
    if (
      expr.callee.kind === 'name' &&
      expr.callee.name.includes('::') &&
      /^(cooperative_groups|cg)::/.test(expr.callee.name)
    ) {
      const group = this.cooperativeFunction(name, expr, mask, frame);
      if (group) return group;
    } else if (name === 'this_thread_block' || name === 'this_grid' || name === 'tiled_partition') {
      const group = this.cooperativeFunction(name, expr, mask, frame);
      if (group) return group;
    }
    if (name === 'cudaLaunchKernel' && this.setup.host && expr.args.length >= 4) {
      let callee: Expr = expr.args[0]!;
      while (callee.kind === 'cast' || (callee.kind === 'unary' && callee.op === '&')) callee = callee.operand;
      if (callee.kind === 'name')
        this.launches.push({
          node: expr,
          fn: frame.fn ?? this.setup.fn,
          kernelName: callee.name,
          templateArgs: callee.templateArgs,
          bindings: frame.bindings,
          grid: this.eval(expr.args[1]!, mask, frame, dim3Type),
          block: this.eval(expr.args[2]!, mask, frame, dim3Type),
          args: [],
          argExprs: [],
        });
      return this.zero(intType);
    }
    const vector = /^make_(\w+)$/.exec(name);
    if (vector && !this.setup.program.functions(name).length) {
      const type = this.setup.types.resolve({ kind: 'named', name: vector[1]! });
      if (type.kind === 'struct') return this.construct(type, expr.args, mask, frame, expr);
    }
    if (
      this.setup.program.functions(name).some((fn) => fn.body && !fn.className) &&
      !(expr.callee.kind === 'name' && expr.callee.name.startsWith('std::'))
    )
      return undefined;
    const two = binaryFunctions.get(name);
    if (two && expr.args.length === 2) {
      const a = arg(0);
      const b = arg(1);
      const type = common(a.type, b.type);
      return {
        type,
        lanes: map2(a.lanes, b.lanes, this.threads, two),
        taint: a.taint | b.taint,
        ...((a.strideName ?? b.strideName) ? { strideName: (a.strideName ?? b.strideName)! } : {}),
      };
    }
    const one = unaryFunctions.get(name);
    if (one && expr.args.length === 1) {
      const a = arg(0);
      return {
        type:
          name === 'abs' || name === 'labs'
            ? a.type
            : /^(lrint|lround|llrint|llround)/.test(name)
              ? longType
              : a.type.kind === 'scalar' && a.type.float
                ? a.type
                : doubleType,
        lanes: map1(a.lanes, one),
        taint: a.taint,
      };
    }
    if (name === 'move' || name === 'forward') return arg(0);
    if (name === 'swap' && expr.args.length === 2) {
      const a = this.place(expr.args[0]!, mask, frame);
      const b = this.place(expr.args[1]!, mask, frame);
      const held = this.load(a, mask, frame, expr.args[0]!);
      const other = this.load(b, mask, frame, expr.args[1]!);
      this.store(a, other, mask, frame, expr.args[0]!, true);
      this.store(b, held, mask, frame, expr.args[1]!, true);
      return this.zero(voidType);
    }
    if (name === 'printf' || name === 'assert' || name === 'fprintf') {
      expr.args.forEach((_, at) => arg(at));
      return this.zero(intType);
    }
    if (/^clock(64)?$/.test(name))
      return { type: longType, lanes: this.chosenNumber('clock'), taint: Taint.chosen | Taint.maybe };
    if (
      this.setup.host &&
      (name === 'cudaMalloc' || name === 'malloc' || name === 'cudaMallocManaged' || name === 'cudaMallocHost') &&
      expr.args.length
    ) {
      expr.args.slice(name === 'malloc' ? 0 : 1).forEach((a) => this.eval(a, mask, frame));
      return name === 'malloc'
        ? {
            type: { kind: 'pointer', to: voidType },
            lanes: 0,
            taint: 0,
            base: this.baseNamed(`malloc@${expr.start}`, 'unknown'),
          }
        : this.zero(intType);
    }
    return undefined;
  }
  private each(value: Value, apply: (a: number) => number): Value {
    return { type: intType, lanes: map1(value.lanes, apply), taint: value.taint };
  }

  private shuffle(kind: string, sync: boolean, expr: CallExpr, mask: Mask, frame: Frame): Value {
    const values = expr.args.map((arg) => this.eval(arg, mask, frame));
    const [value, lane, width] = sync ? values.slice(1) : values;
    if (sync && values[0] && isFullMask(values[0])) this.barrier(expr, `__shfl${kind}_sync`, 'warp', mask, frame);
    if (!value || !lane) return this.zero(intType);
    // One lane's value handed to the whole warp is no longer different within it.
    const broadcast =
      kind === '' && typeof lane.lanes === 'number' && !width && (lane.taint & (Taint.loaded | Taint.hash)) === 0;
    const unknown = broadcast && (value.taint & (Taint.loaded | Taint.hash)) !== 0;
    const carried = unknown
      ? (value.taint & ~(Taint.loaded | Taint.hash)) | Taint.chosen | Taint.loadedUniform
      : value.taint;
    if (unknown) return { ...value, lanes: laneAt(value.lanes, (lane.lanes as number) & 31), taint: carried };
    if (typeof value.lanes === 'number') return { ...value, taint: carried };
    const span = width && typeof width.lanes === 'number' && width.lanes > 0 ? width.lanes : 32;
    const source = value.lanes;
    const lanes = new Float64Array(this.threads);
    for (let at = 0; at < this.threads; at++) {
      const warp = at - (at % 32);
      const own = at % 32;
      const group = own - (own % span);
      const by = laneAt(lane.lanes, at);
      let from =
        kind === '_up'
          ? own - by
          : kind === '_down'
            ? own + by
            : kind === '_xor'
              ? own ^ by
              : group + (((by % span) + span) % span);
      if (kind === '_up' && from < group) from = own;
      if (kind === '_down' && from >= group + span) from = own;
      lanes[at] = source[Math.min(this.threads - 1, warp + (from & 31))]!;
    }
    return { ...value, lanes: settle(lanes), taint: carried | (lane.taint & ~Taint.thread) };
  }

  private cooperativeFunction(name: string, expr: CallExpr, mask: Mask, frame: Frame): Value | undefined {
    const group = (key: string, size?: number): Value => ({
      type: { kind: 'unknown', name: `cg:${key}` },
      lanes: size ?? 0,
      taint: 0,
      key,
    });
    switch (name) {
      case 'this_thread_block':
        return group('block');
      case 'this_grid':
        return group('grid');
      case 'coalesced_threads':
        return group('coalesced');
      case 'tiled_partition': {
        expr.args.forEach((arg) => this.eval(arg, mask, frame));
        const argument = expr.callee.kind === 'name' ? expr.callee.templateArgs?.[0] : undefined;
        const size =
          argument && 'expr' in argument
            ? (this.setup.types.constant(argument.expr, frame.bindings) ??
              boundValue(frame.bindings, argument.expr.kind === 'name' ? argument.expr.name : ''))
            : argument && 'type' in argument && argument.type.kind === 'named'
              ? boundValue(frame.bindings, argument.type.name)
              : expr.args[1]
                ? laneAt(this.eval(expr.args[1], mask, frame).lanes, 0)
                : undefined;
        const written = expr.args[1] ? this.setup.types.constant(expr.args[1], frame.bindings) : undefined;
        return group('tile', size ?? written ?? 32);
      }
      case 'sync': {
        const given = expr.args[0] ? this.eval(expr.args[0], mask, frame) : undefined;
        this.groupBarrier(
          given?.type.kind === 'unknown' && given.type.name.startsWith('cg:') ? given.type.name.slice(3) : undefined,
          given?.lanes,
          expr,
          'sync',
          mask,
          frame,
        );
        return this.zero(voidType);
      }
      default:
        return undefined;
    }
  }
  /** Only groups of a whole warp or more can miss lanes here: a coalesced group has no others, smaller tiles may go their own ways, and of an unknown group nothing is known. */
  private groupBarrier(
    key: string | undefined,
    size: Lanes | undefined,
    expr: CallExpr,
    name: string,
    mask: Mask,
    frame: Frame,
  ): void {
    if (key === 'block' || key === 'grid') this.barrier(expr, name, 'block', mask, frame);
    else if (key === 'tile' && size === 32) this.barrier(expr, name, 'warp', mask, frame);
    else this.flushShared();
  }
  private cooperativeMethod(place: Place, method: string, expr: CallExpr, mask: Mask, frame: Frame): Value | undefined {
    const value = place.kind === 'value' ? place.value : place.kind === 'cell' ? place.cell.value : undefined;
    if (!value || value.type.kind !== 'unknown' || !value.type.name.startsWith('cg:')) return undefined;
    const key = value.type.name.slice(3);
    const linear: Lanes = this.threads === 1 ? 0 : Float64Array.from({ length: this.threads }, (_, at) => at);
    const size = key === 'tile' && typeof value.lanes === 'number' ? value.lanes : 32;
    const grid = [0, 1, 2].reduce(
      (product, at) => product * laneAt(this.builtinName('gridDim')!.fields!.get('xyz'[at]!)!.lanes, 0),
      1,
    );
    switch (method) {
      case 'sync':
        this.groupBarrier(key, value.lanes, expr, `${key === 'block' ? 'thread_block' : key}.sync`, mask, frame);
        return this.zero(voidType);
      case 'thread_rank':
        if (key === 'grid')
          return {
            type: longType,
            lanes: map1(linear, (a) => a + 5 * this.threads),
            taint: Taint.thread | Taint.block,
          };
        return {
          type: unsignedType,
          lanes: key === 'block' ? linear : map1(linear, (a) => a % size),
          taint: this.threads === 1 ? 0 : Taint.thread,
        };
      case 'meta_group_rank':
        return { type: unsignedType, lanes: settle(map1(linear, (a) => Math.floor(a / size))), taint: Taint.thread };
      case 'meta_group_size':
        return { type: unsignedType, lanes: Math.ceil(this.threads / size), taint: 0 };
      case 'size':
      case 'num_threads':
        return {
          type: unsignedType,
          lanes: key === 'grid' ? grid * this.threads : key === 'block' ? this.threads : size,
          taint: key === 'grid' ? Taint.chosen : 0,
        };
      case 'thread_index':
        return this.builtinName('threadIdx');
      case 'group_index':
        return this.builtinName('blockIdx');
      case 'group_dim':
      case 'dim_threads':
        return this.builtinName('blockDim');
      case 'shfl':
      case 'shfl_down':
      case 'shfl_up':
      case 'shfl_xor':
        return this.shuffle(method.slice(4), false, expr, mask, frame);
      default: {
        expr.args.forEach((arg) => this.eval(arg, mask, frame));
        return {
          type: intType,
          lanes: this.chosenNumber(`${method}@${expr.start}`),
          taint: Taint.chosen | Taint.loadedUniform | Taint.maybe,
        };
      }
    }
  }
}

// ---- small pieces ----------------------------------------------------------------------------------------------------

/** `int x = longs[i]`: nvcc loads only the half of an eight-byte integer that is kept. */
function narrowed(place: Place, wanted: Type | undefined): Place {
  if (
    place.kind !== 'memory' ||
    wanted?.kind !== 'scalar' ||
    wanted.float ||
    wanted.size >= 8 ||
    wanted.name === 'bool'
  )
    return place;
  return place.type.kind === 'scalar' && !place.type.float && place.type.size === 8 && place.base.space === 'global'
    ? { ...place, type: intType }
    : place;
}

function largestPower(value: number): number {
  let power = 1;
  while (power * 2 <= value) power *= 2;
  return power;
}
function isStatement(part: Stmt | Expr): part is Stmt {
  return [
    'block',
    'decl',
    'expr',
    'if',
    'for',
    'rangeFor',
    'while',
    'do',
    'switch',
    'case',
    'break',
    'continue',
    'return',
    'goto',
    'label',
    'asm',
    'type',
    'try',
    'empty',
  ].includes(part.kind);
}

/** Assignments to variables of plain arithmetic, no more than a few. */
function selectsOnly(stmt: Stmt): boolean {
  if (stmt.kind === 'block') return stmt.body.length <= 3 && stmt.body.every(selectsOnly);
  if (stmt.kind === 'empty') return true;
  if (stmt.kind !== 'expr' || stmt.expr.kind !== 'assign' || stmt.expr.target.kind !== 'name') return false;
  return computesOnly(stmt.expr.value);
}
/** An arm that does nothing but leave, or nothing at all, tells nothing when walked. */
function isTrivial(stmt: Stmt): boolean {
  switch (stmt.kind) {
    case 'return':
    case 'break':
    case 'continue':
    case 'empty':
    case 'goto':
      return true;
    case 'block':
      return stmt.body.every(isTrivial);
    default:
      return false;
  }
}

function isFullMask(value: Value): boolean {
  return (
    typeof value.lanes === 'number' &&
    (value.lanes === 4294967295 || value.lanes === -1) &&
    !(value.taint & Taint.chosen)
  );
}
/** Names, numbers and arithmetic: evaluating it again does nothing. */
function computesOnly(expr: Expr): boolean {
  let computes = true;
  walk(expr, (node) => {
    if (
      !['name', 'number', 'binary', 'unary', 'member', 'cast'].includes(node.kind) ||
      (node.kind === 'unary' && (node.op === '*' || node.op === '&')) ||
      (node.kind === 'member' && node.arrow)
    )
      computes = false;
    return computes;
  });
  return computes;
}
/** `&a[i]` given to an atomic or a load intrinsic: the access stands at `a[i]`. */
function pointedAt(expr: Expr | undefined): Expr | undefined {
  return expr?.kind === 'unary' && expr.op === '&'
    ? expr.operand
    : expr?.kind === 'cast'
      ? (pointedAt(expr.operand) ?? expr)
      : expr;
}
function nameOf(expr: Expr): string | undefined {
  return expr.kind === 'name'
    ? expr.name
    : expr.kind === 'member'
      ? expr.object.kind === 'name'
        ? `${expr.object.name}.${expr.field}`
        : expr.field
      : expr.kind === 'cast'
        ? nameOf(expr.operand)
        : undefined;
}
function calleeOf(expr: Expr): (Expr & { kind: 'name' }) | undefined {
  return expr.kind === 'name'
    ? expr
    : expr.kind === 'unary' && (expr.op === '*' || expr.op === '&')
      ? calleeOf(expr.operand)
      : expr.kind === 'cast'
        ? calleeOf(expr.operand)
        : undefined;
}

function sameValue(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (left.base !== right.base || left.lambda !== right.lambda || left.fields || right.fields) return false;
  if (typeof left.lanes === 'number' || typeof right.lanes === 'number') return left.lanes === right.lanes;
  for (let at = 0; at < left.lanes.length; at++) if (left.lanes[at] !== right.lanes[at]) return false;
  return true;
}
interface PendingField {
  readonly record: AccessRecord;
  readonly offset: Lanes;
  readonly bytes: number;
  readonly mask: Mask /** Byte offset in the structure. */;
  readonly at: number /** The most bytes that one instruction may move here. */;
  readonly chunk: number;
}
interface FieldPiece {
  readonly entry: PendingField;
  readonly at: number;
  readonly bytes: number;
}
/** Loads of fields as vectors: each starts at a field that is aligned for its width, and reaches over gaps to the last field that it holds. */
function covering(fields: readonly PendingField[]): FieldPiece[] {
  const pieces: FieldPiece[] = [];
  let rest = [...fields];
  while (rest.length) {
    const from = Math.min(...rest.map((field) => field.at));
    let most = fields[0]!.bytes;
    while (most < fields[0]!.chunk && from % (2 * most) === 0) most *= 2;
    const inside = rest.filter((field) => field.at + field.bytes <= from + most);
    const to = Math.max(...inside.map((field) => field.at + field.bytes));
    let bytes = fields[0]!.bytes;
    while (from + bytes < to) bytes *= 2;
    pieces.push({ entry: inside[0]!, at: from, bytes });
    rest = rest.filter((field) => !inside.includes(field));
  }
  return pieces;
}
/** Neighbouring fields joined two by two into aligned pieces. */
function joined(fields: readonly PendingField[]): FieldPiece[] {
  let pieces: FieldPiece[] = fields
    .filter((field, at) => fields.findLastIndex((other) => other.at === field.at) === at)
    .map((entry) => ({ entry, at: entry.at, bytes: entry.bytes }));
  for (let size = 1; size < fields[0]!.chunk; size *= 2) {
    const next: FieldPiece[] = [];
    for (const piece of pieces) {
      const partner =
        piece.bytes === size
          ? next.findIndex(
              (other) =>
                other.bytes === size &&
                Math.floor(other.at / (2 * size)) === Math.floor(piece.at / (2 * size)) &&
                other.at !== piece.at,
            )
          : -1;
      if (partner < 0) next.push(piece);
      else next.splice(partner, 1, { entry: piece.entry, at: Math.min(piece.at, next[partner]!.at), bytes: 2 * size });
    }
    pieces = next;
  }
  return pieces;
}

/** Two structures of which either may be the one: fields that differ say so. */
function joinFields(stands: Value, other: Value, mark: number): Value {
  const fields = new Map(stands.fields);
  for (const name of new Set([...fields.keys(), ...(other.fields?.keys() ?? [])])) {
    const own = stands.fields?.get(name);
    const its = other.fields?.get(name);
    if (own && its && !own.fields && !its.fields && sameValue(own, its))
      fields.set(name, { ...own, taint: own.taint | its.taint });
    else if (own && its && (own.fields || its.fields)) fields.set(name, joinFields(own, its, mark));
    else {
      const known = own ?? its!;
      fields.set(name, { ...known, taint: known.taint | (its?.taint ?? 0) | mark });
    }
  }
  return { ...stands, fields, taint: stands.taint | other.taint | mark };
}
function constantDelta(first: Lanes, second: Lanes, mask: Mask): number | undefined {
  if (typeof first === 'number' && typeof second === 'number') return second - first;
  let delta: number | undefined;
  for (let at = 0; at < mask.bits.length; at++) {
    if (!mask.bits[at]) continue;
    const step = laneAt(second, at) - laneAt(first, at);
    if (delta === undefined) delta = step;
    else if (delta !== step) return undefined;
  }
  return delta;
}
function alignedTo(offset: Lanes, bytes: number, mask: Mask): boolean {
  if (typeof offset === 'number') return offset % bytes === 0;
  for (let at = 0; at < offset.length; at++) if (mask.bits[at] && offset[at]! % bytes !== 0) return false;
  return true;
}

function loopVariable(stmt: Stmt): string | undefined {
  if (stmt.kind !== 'for') return undefined;
  if (stmt.step) {
    const step = stmt.step;
    if (step.kind === 'update') return rootName(step.operand);
    if (step.kind === 'assign') return rootName(step.target);
  }
  return stmt.init?.kind === 'decl' ? stmt.init.vars[0]?.name : undefined;
}
/** Trips of `for (i = a; i < b; i += c)` with constants. */
function countTrips(stmt: ForStmt, setup: RunSetup): number | undefined {
  if (stmt.init?.kind !== 'decl' || !stmt.cond || stmt.cond.kind !== 'binary' || !stmt.step) return undefined;
  const start = stmt.init.vars[0]?.init ? setup.types.constant(stmt.init.vars[0].init, setup.bindings) : undefined;
  const end = setup.types.constant(stmt.cond.right, setup.bindings);
  const step =
    stmt.step.kind === 'update'
      ? 1
      : stmt.step.kind === 'assign' && stmt.step.op === '+='
        ? setup.types.constant(stmt.step.value, setup.bindings)
        : undefined;
  return start === undefined || end === undefined || !step
    ? undefined
    : Math.max(0, Math.ceil((end - start + (stmt.cond.op === '<=' ? 1 : 0)) / step));
}

const launching = new WeakMap<object, boolean>();
/** Does the body launch, or call something in sight that does? */
export function bodyLaunches(body: Stmt, program: Program, depth = 0): boolean {
  const known = launching.get(body);
  if (known !== undefined) return known;
  launching.set(body, false);
  const called = new Set<string>();
  let found = containsLaunch(body, (name) => called.add(name));
  if (!found && depth < 6)
    for (const name of called) {
      if (program.functions(name).some((fn) => fn.body && fn.host && bodyLaunches(fn.body, program, depth + 1))) {
        found = true;
        break;
      }
    }
  launching.set(body, found);
  return found;
}
