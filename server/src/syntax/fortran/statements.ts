// Fortran statements as steps, with each directive bound to the statements it governs.
import type { AssignStep, Directive, LoopStep, Place, Step, Value } from '../procedures';
import type { RawNode } from '../tree';
import { declare, declareAssociate, isSpecification } from './declarations';
import { child, field, operands, readValue, textOf } from './expressions';
import { bind, type Item, stepPlace } from './binding';
import type { StatementReading } from './binding';
import { firstIndex } from '../lines';

/** Ends of a list of statements that are no statements themselves. */
const frames = new RegExp(
  [
    String.raw`^(?:end_\w*_?statement|internal_procedures|\w+_statement_end|subroutine_statement|function_statement`,
    'program_statement|module_procedure_statement|module_statement|submodule_statement)$',
  ].join('|'),
);

/**
 * The steps of the statements among `nodes` and of the directives between `from` and `to` that are in none of them.
 */
export function stepsOf(
  nodes: readonly RawNode[],
  from: number,
  to: number,
  reading: StatementReading,
  depth = 0,
): Step[] {
  const items: Item[] = [];
  const directives = reading.directives;
  let next = firstIndex(directives.length, (each) => directives[each]!.start >= from);
  const before = (offset: number): void => {
    while (next < directives.length && directives[next]!.start < offset) items.push({ directive: directives[next++]! });
  };
  for (const node of flattened(nodes)) {
    if (
      !node.named ||
      frames.test(node.type) ||
      node.type === 'statement_label' ||
      node.type === 'block_label_start_expression'
    )
      continue;
    before(Math.min(node.start, to));
    while (next < directives.length && directives[next]!.start < node.end) next++;
    items.push({ node });
  }
  before(to);
  return bind(items, reading, depth, statement);
}

/** The contents of a place where the parser recovered are read as if they were beside it. */
function* flattened(nodes: readonly RawNode[], depth = 0): Generator<RawNode> {
  for (const node of nodes) {
    if (node.type === 'ERROR' && depth < 20)
      yield* flattened(
        node.children.filter((each) => isStatement(each)),
        depth + 1,
      );
    else yield node;
  }
}

function isStatement(node: RawNode): boolean {
  return (
    node.type === 'ERROR' ||
    node.type === 'do_loop' ||
    node.type === 'subroutine_call' ||
    node.type.endsWith('_statement') ||
    isSpecification(node)
  );
}

// ---- statements ----------------------------------------------------------------------------------------------------

const deepest = 200;

function statement(node: RawNode, reading: StatementReading, directives: readonly Directive[], depth: number): Step[] {
  if (isSpecification(node)) return [];
  const at = stepPlace(node, reading);
  if (depth > deepest) return [{ kind: 'other', ...at, reads: [], writes: [] }];
  const of = (each: RawNode): Value => readValue(each, reading);
  const target = (each: RawNode): Value => readValue(each, reading, true);
  const within = (nodes: readonly RawNode[], from: number, to: number): Step[] =>
    stepsOf(nodes, from, to, reading, depth + 1);
  switch (node.type) {
    case 'do_loop':
      return [loop(node, at, reading, directives, depth)];
    case 'assignment_statement': {
      const [left, right] = sides(node);
      return left && right ? [{ kind: 'assign', ...at, target: target(left), value: of(right) }] : [];
    }
    case 'pointer_association_statement': {
      const [left, right] = operands(node);
      return left && right ? [{ kind: 'assign', ...at, target: target(left), value: of(right) }] : [];
    }
    case 'subroutine_call': {
      const callee = field(node, 'subroutine');
      const list = child(node, 'argument_list');
      if (!callee) return [];
      const name = textOf(callee, reading)
        .toLowerCase()
        .replace(/[\s&]+/g, '');
      return [
        {
          kind: 'call',
          ...at,
          call: { kind: 'call', start: callee.start, end: node.end, name, args: list ? operands(list).map(of) : [] },
        },
      ];
    }
    case 'if_statement':
      return [condition(node, at, reading, depth)];
    case 'where_statement':
    case 'forall_statement':
    case 'select_case_statement':
    case 'select_type_statement':
    case 'select_rank_statement':
      return [parted(node, at, reading, depth)];
    case 'associate_statement': {
      const opening = child(node, 'association_list');
      const bound: AssignStep[] = [];
      for (const each of opening?.children ?? []) {
        const name = field(each, 'name');
        const selector = field(each, 'selector');
        if (each.type === 'association' && name && selector) {
          const value = of(selector);
          declareAssociate(textOf(name, reading).toLowerCase(), name, value, reading);
          bound.push({ kind: 'assign', ...stepPlace(each, reading), target: target(name), value, declares: true });
        }
      }
      const from = opening?.end ?? node.start;
      return [
        {
          kind: 'block',
          ...at,
          body: [
            ...bound,
            ...within(
              node.children.filter((each) => each.start >= from),
              from,
              node.end,
            ),
          ],
        },
      ];
    }
    case 'block_construct':
      for (const each of node.children) if (isSpecification(each)) declare(each, reading, 'local', reading.sources);
      return [{ kind: 'block', ...at, body: within(node.children, node.start, node.end) }];
    case 'coarray_critical_statement':
    case 'coarray_team_statement':
      return [{ kind: 'block', ...at, body: within(node.children, node.start, node.end) }];
    case 'allocate_statement':
    case 'deallocate_statement':
    case 'nullify_statement':
      return [allocation(node, at, reading)];
    case 'read_statement':
    case 'input_statement': {
      const list = child(node, 'input_item_list');
      return [
        {
          kind: 'other',
          ...at,
          reads: operands(node)
            .filter((each) => each !== list)
            .map(of),
          writes: list ? operands(list).map(target) : [],
        },
      ];
    }
    case 'print_statement':
    case 'write_statement': {
      const list = child(node, 'output_item_list');
      const unit = child(node, 'unit_identifier');
      // A write to a variable of characters fills it.
      const inner =
        unit &&
        operands(unit)
          .map(of)
          .filter((value) => value.kind === 'name' || value.kind === 'element');
      return [{ kind: 'other', ...at, reads: [...(list ? operands(list).map(of) : []), ...(inner ?? [])], writes: [] }];
    }
    case 'stop_statement':
      return [{ kind: 'jump', ...at, form: 'stop' }];
    case 'keyword_statement':
      return keyword(node, at, reading);
    case 'arithmetic_if_statement':
      return [
        { kind: 'other', ...at, reads: operands(node).map(of), writes: [] },
        { kind: 'jump', ...at, form: 'goto' },
      ];
    default: {
      const inner = node.children.filter(isStatement);
      return [
        {
          kind: 'other',
          ...at,
          reads: operands(node)
            .filter((each) => !inner.includes(each))
            .map(of),
          writes: [],
          ...(inner.length > 0 ? { body: within(inner, node.start, node.end) } : {}),
        },
      ];
    }
  }
}

function sides(node: RawNode): [RawNode | undefined, RawNode | undefined] {
  const plain = operands(node);
  return [field(node, 'left') ?? plain[0], field(node, 'right') ?? plain[1]];
}

function keyword(node: RawNode, at: ReturnType<typeof stepPlace>, reading: StatementReading): Step[] {
  const word = /^[a-z]+/.exec(textOf(node, reading).toLowerCase())?.[0] ?? '';
  switch (word) {
    case 'exit':
      return [{ kind: 'jump', ...at, form: 'break' }];
    case 'cycle':
      return [{ kind: 'jump', ...at, form: 'continue' }];
    case 'return':
      return [{ kind: 'jump', ...at, form: 'return' }];
    case 'continue':
      return [];
    case 'go':
    case 'goto':
      return [{ kind: 'jump', ...at, form: 'goto' }];
    default:
      return [{ kind: 'other', ...at, reads: operands(node).map((each) => readValue(each, reading)), writes: [] }];
  }
}

function loop(
  node: RawNode,
  at: ReturnType<typeof stepPlace>,
  reading: StatementReading,
  directives: readonly Directive[],
  depth: number,
): LoopStep {
  const header = child(node, 'do_statement');
  const headerAt: Place = header ? { start: header.start, end: header.end } : { start: node.start, end: node.start };
  const end = node.children.find((each) => each.type.startsWith('end_do'));
  const control = header && child(header, 'loop_control_expression');
  const condition = header && child(header, 'while_statement');
  const nodes = node.children.filter((each) => each !== header && each !== end);
  // The labelled statement that ends a loop may do something itself; of loops that end together it is the innermost's.
  let last =
    end?.type === 'end_do_label_loop_statement'
      ? end.children.filter((each) => each.named && each.type !== 'statement_label' && each.type !== 'do_label_virtual')
      : [];
  const inner = nodes.at(-1);
  const innerEnd =
    inner?.type === 'do_loop' ? inner.children.find((each) => child(each, 'do_label_virtual')) : undefined;
  if (inner && innerEnd && end && last.length > 0) {
    nodes[nodes.length - 1] = {
      ...inner,
      end: end.end,
      children: inner.children.map((each) =>
        each === innerEnd ? { ...innerEnd, end: end.end, children: [...innerEnd.children, ...last] } : each,
      ),
    };
    last = [];
  }
  const body = stepsOf(
    [...nodes, ...last],
    headerAt.end,
    last.length > 0 || innerEnd ? (end?.end ?? node.end) : (end?.start ?? node.end),
    reading,
    depth + 1,
  );
  const common = { kind: 'loop' as const, ...at, header: headerAt, body, directives };
  if (control) {
    const [variable, lower, upper, step] = operands(control).map((each) => readValue(each, reading));
    return {
      ...common,
      form: variable?.kind === 'name' && lower && upper ? 'counted' : 'other',
      ...(variable?.kind === 'name' ? { variable: variable.name } : {}),
      ...(lower ? { lower } : {}),
      ...(upper ? { upper } : {}),
      inclusive: true,
      ...(step ? { step } : {}),
    };
  }
  if (condition) {
    const inner = operands(condition)[0];
    return { ...common, form: 'while', ...(inner ? { cond: readValue(inner, reading) } : {}) };
  }
  return { ...common, form: 'other' };
}

/** `if … then … else if … else … end if`, and the one-line form. */
function condition(node: RawNode, at: ReturnType<typeof stepPlace>, reading: StatementReading, depth: number): Step {
  const clauses = node.children.filter((each) => each.type === 'elseif_clause' || each.type === 'else_clause');
  const end = node.children.find((each) => each.type === 'end_if_statement');
  const stop = end?.start ?? node.end;
  const partOf = (clause: RawNode, number: number): { cond: RawNode | undefined; steps: Step[] } => {
    const cond = clause.type === 'else_clause' ? undefined : child(clause, 'parenthesized_expression');
    const from = cond?.end ?? clause.start;
    const to = clauses[number]?.start ?? stop;
    return {
      cond,
      steps: stepsOf(
        clause.children.filter((each) => each !== cond && !clauses.includes(each) && each.start >= from),
        from,
        to,
        reading,
        depth + 1,
      ),
    };
  };
  let otherwise: readonly Step[] | undefined;
  for (let number = clauses.length - 1; number >= 0; number--) {
    const { cond, steps } = partOf(clauses[number]!, number + 1);
    otherwise = cond
      ? [
          {
            kind: 'if',
            ...stepPlace({ start: clauses[number]!.start, end: clauses[number + 1]?.start ?? stop }, reading),
            cond: readValue(cond, reading),
            then: steps,
            ...(otherwise ? { else: otherwise } : {}),
          },
        ]
      : steps;
  }
  const { cond, steps } = partOf(node, 0);
  const value: Value = cond
    ? readValue(cond, reading)
    : { kind: 'other', start: node.start, end: node.start, parts: [] };
  return { kind: 'if', ...at, cond: value, then: steps, ...(otherwise ? { else: otherwise } : {}) };
}

/**
 * Constructs with a head and parts: `where`, `forall`, `select case`. Their steps are in `body`, what their heads
 * read in `reads`.
 */
function parted(node: RawNode, at: ReturnType<typeof stepPlace>, reading: StatementReading, depth: number): Step {
  const clauses = node.children.filter((each) =>
    /^(elsewhere_clause|case_statement|type_statement|rank_statement)$/.test(each.type),
  );
  const end = node.children.find((each) => each.type.startsWith('end_'));
  const stop = end?.start ?? node.end;
  const heads = node.children.filter(
    (each) =>
      /^(parenthesized_expression|selector|triplet_spec|concurrent_header)$/.test(each.type) ||
      (node.type === 'forall_statement' && each.type.endsWith('_expression')),
  );
  const reads: Value[] = heads
    .flatMap((head) =>
      head.type === 'triplet_spec'
        ? operands(head).slice(1)
        : head.type === 'parenthesized_expression' || head.type === 'selector'
          ? operands(head)
          : [head],
    )
    .map((each) => readValue(each, reading));
  const body: Step[] = [];
  const headEnd = heads.at(-1)?.end ?? node.start;
  body.push(
    ...stepsOf(
      node.children.filter((each) => !heads.includes(each) && !clauses.includes(each) && each.start >= headEnd),
      headEnd,
      clauses[0]?.start ?? stop,
      reading,
      depth + 1,
    ),
  );
  clauses.forEach((clause, number) => {
    const to = clauses[number + 1]?.start ?? stop;
    const label = clause.children.filter(
      (each) => /^(case_value_range_list|parenthesized_expression|default)$/.test(each.type) || each.field === 'type',
    );
    for (const each of label)
      if (each.type !== 'default' && each.field !== 'type')
        reads.push(...operands(each).map((inner) => readValue(inner, reading)));
    const from = label.at(-1)?.end ?? clause.start;
    const steps = stepsOf(
      clause.children.filter((each) => !label.includes(each) && each.start >= from),
      from,
      to,
      reading,
      depth + 1,
    );
    body.push({
      kind: 'block',
      ...stepPlace({ start: clause.start, end: Math.max(clause.start, to) }, reading),
      body: steps,
    });
  });
  return { kind: 'other', ...at, reads, writes: [], body };
}

/** `allocate(a(n), stat=i)`: writes `a`, reads `n`. */
function allocation(node: RawNode, at: ReturnType<typeof stepPlace>, reading: StatementReading): Step {
  const reads: Value[] = [];
  const writes: Value[] = [];
  for (const each of node.children) {
    if (!each.named || each.field === 'type') continue;
    if (each.type === 'keyword_argument') {
      const name = field(each, 'name');
      const value = field(each, 'value');
      if (value && each.children.length > 0)
        (name && /^(stat|errmsg)$/i.test(textOf(name, reading)) ? writes : reads).push(readValue(value, reading));
      continue;
    }
    const sized = each.type === 'sized_allocation' ? each : undefined;
    const whole = sized ? operands(sized).find((inner) => inner.type !== 'size') : each;
    if (whole) writes.push(readValue(whole, reading, true));
    const size = sized && child(sized, 'size');
    if (size) reads.push(...operands(size).map((inner) => readValue(inner, reading)));
  }
  return { kind: 'other', ...at, reads, writes };
}
