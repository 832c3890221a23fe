// Procedures as indented text, to hold against what a test expects.
import type {
  Dimension,
  Directive,
  Procedure,
  ProcedureFile,
  Step,
  Value,
  Variable,
} from '../../../server/src/syntax/procedures';

export function dumpFile(file: ProcedureFile): string {
  const lines: string[] = [];
  for (const variable of file.globals) lines.push(`global ${dumpVariable(variable)}`);
  for (const procedure of file.procedures) lines.push(...dumpProcedure(procedure));
  for (const directive of file.directives)
    for (const problem of directive.problems)
      lines.push(`problem ${problem.code} ${file.text.slice(problem.at.start, problem.at.end)}`);
  for (const annotation of file.annotations)
    lines.push(`trip ${annotation.exact ? '=' : '<='} ${annotation.atMost} at line ${annotation.line + 1}`);
  for (const error of file.errors)
    lines.push(`error ${JSON.stringify(file.text.slice(error.start, error.end).slice(0, 60))}`);
  return `${lines.join('\n')}\n`;
}

function dumpProcedure(procedure: Procedure): string[] {
  const own = procedure.variables.filter((variable) => variable.role !== 'global' && !variable.name.includes('%'));
  return [
    `procedure ${procedure.name}(${procedure.parameters.join(', ')})`,
    ...procedure.routine.map((directive) => `  routine ${dumpDirective(directive)}`),
    ...own.map((variable) => `  ${dumpVariable(variable)}`),
    ...dumpSteps(procedure.body, '  '),
  ];
}

function dumpVariable(variable: Variable): string {
  const marks = [
    variable.role === 'global' ? '' : variable.role,
    variable.pointer ? 'pointer' : '',
    variable.allocatable ? 'allocatable' : '',
    variable.intent ?? '',
    variable.constant ? 'constant' : '',
  ].filter((mark) => mark !== '');
  const value = variable.value ? ` = ${dumpValue(variable.value)}` : '';
  return `${variable.name}: ${variable.type}${variable.elementBytes === undefined ? '' : `/${variable.elementBytes}`}${variable.dimensions ? `(${variable.dimensions.map(dumpDimension).join(', ')})` : ''}${marks.length > 0 ? ` ${marks.join(' ')}` : ''}${value}`;
}

function dumpDimension({ lower, upper }: Dimension): string {
  return `${lower ? `${dumpValue(lower)}:` : ''}${upper ? dumpValue(upper) : lower ? '' : ':'}`;
}

export function dumpDirective(directive: Directive): string {
  return `!${directive.name}${directive.argument ? `(${directive.argument.items.map((item) => item.text).join(', ')})` : ''}${directive.clauses.map((clause) => ` ${clause.name}${clause.argument ? `(${clause.argument.operator ? `${clause.argument.operator}:` : ''}${clause.argument.items.map((item) => item.text).join(', ')})` : ''}`).join('')}`;
}

export function dumpSteps(steps: readonly Step[], indent: string): string[] {
  return steps.flatMap((step) => dumpStep(step, indent));
}

function dumpStep(step: Step, indent: string): string[] {
  const deeper = `${indent}  `;
  switch (step.kind) {
    case 'loop': {
      const bounds =
        step.form === 'counted'
          ? ` ${step.variable} = ${dumpValue(step.lower!)} .. ${dumpValue(step.upper!)}${step.step ? ` by ${dumpValue(step.step)}` : ''}`
          : step.cond
            ? ` while ${dumpValue(step.cond)}`
            : ` ${step.form}`;
      return [
        `${indent}loop${bounds}${step.directives.map((directive) => ` ${dumpDirective(directive)}`).join('')}`,
        ...dumpSteps(step.body, deeper),
      ];
    }
    case 'assign':
      return [
        `${indent}${step.atomic ? 'atomic ' : ''}${step.declares ? 'declare ' : ''}${dumpValue(step.target)} ${step.op ?? ''}= ${dumpValue(step.value)}`,
      ];
    case 'call':
      return [`${indent}call ${dumpValue(step.call)}`];
    case 'if':
      return [
        `${indent}if ${dumpValue(step.cond)}`,
        ...dumpSteps(step.then, deeper),
        ...(step.else ? [`${indent}else`, ...dumpSteps(step.else, deeper)] : []),
      ];
    case 'region':
      return [
        `${indent}${dumpDirective(step.directive)}`,
        ...dumpSteps(step.body, deeper),
        ...(step.endDirective ? [`${indent}${dumpDirective(step.endDirective)}`] : []),
      ];
    case 'directive':
      return [`${indent}${dumpDirective(step.directive)} alone`];
    case 'block':
      return [`${indent}block`, ...dumpSteps(step.body, deeper)];
    case 'jump':
      return [`${indent}${step.form}`];
    case 'other':
      return [
        `${indent}other${step.reads.length > 0 ? ` reads ${step.reads.map(dumpValue).join('; ')}` : ''}${step.writes.length > 0 ? ` writes ${step.writes.map(dumpValue).join('; ')}` : ''}`,
        ...dumpSteps(step.body ?? [], deeper),
      ];
  }
}

export function dumpValue(value: Value): string {
  switch (value.kind) {
    case 'number':
      return value.integer ? String(value.value) : `${value.value}f`;
    case 'name':
      return value.name;
    case 'element':
      return `${value.array}[${value.subscripts.map(dumpValue).join(', ')}]`;
    case 'member':
      return value.path;
    case 'unary':
      return `(${value.op}${dumpValue(value.operand)})`;
    case 'binary':
      return `(${dumpValue(value.left)} ${value.op} ${dumpValue(value.right)})`;
    case 'call':
      return `${value.name}(${value.args.map(dumpValue).join(', ')})`;
    case 'conditional':
      return `(${dumpValue(value.cond)} ? ${dumpValue(value.then)} : ${dumpValue(value.else)})`;
    case 'section':
      return `${value.lower ? dumpValue(value.lower) : ''}:${value.upper ? dumpValue(value.upper) : ''}${value.step ? `:${dumpValue(value.step)}` : ''}`;
    case 'other':
      return `{${value.parts.map(dumpValue).join(', ')}${value.assigns ? ` sets ${value.assigns.map(dumpValue).join(', ')}` : ''}}`;
  }
}
