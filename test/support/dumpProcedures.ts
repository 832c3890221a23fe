// Procedures as text for tests: one line a step, values written out again from their structure, so that a golden file is readable.
import type { Procedure, ProcedureFile, Step, Value, Variable } from '../../server/src/syntax/procedures';

/** What was read of a file, in a form that names every part once. */
export function dumpProcedures(file: ProcedureFile): string {
  const lines: string[] = [];
  for (const procedure of file.procedures) lines.push(...dumpProcedure(procedure, file));
  if (file.globals.length) lines.push(`globals: ${file.globals.map(variableText).join('; ')}`);
  for (const note of file.annotations)
    lines.push(`trip ${note.exact ? '=' : '<='} ${note.atMost} at line ${note.line + 1}`);
  return `${lines.join('\n')}\n`;
}

function dumpProcedure(procedure: Procedure, file: ProcedureFile): string[] {
  const lines = [
    `${procedure.name}(${procedure.parameters.join(', ')})${procedure.device ? ' device' : ''}${procedure.routine.length ? ` [${procedure.routine.map((one) => file.text.slice(one.start, one.end).replace(/\s+/g, ' ')).join('; ')}]` : ''}`,
  ];
  for (const variable of procedure.variables) lines.push(`  ${variableText(variable)}`);
  const names = (directives: readonly { readonly name: string }[]): string =>
    directives.length ? ` [${directives.map((one) => one.name).join('; ')}]` : '';
  const walk = (steps: readonly Step[], depth: string): void => {
    for (const step of steps) {
      switch (step.kind) {
        case 'loop': {
          const head =
            step.form === 'counted'
              ? `${step.declaresVariable ? 'new ' : ''}${step.variable} from ${textOf(step.lower)} ${step.inclusive ? 'to' : step.unequal ? 'until' : 'before'} ${textOf(step.upper)} by ${textOf(step.step)}`
              : `${step.form} ${textOf(step.cond)}`;
          lines.push(`${depth}loop ${head}${names(step.directives)}`);
          walk(step.body, `${depth}  `);
          break;
        }
        case 'assign':
          lines.push(
            `${depth}${step.declares ? 'new ' : ''}${textOf(step.target)} ${step.op ?? ''}= ${textOf(step.value)}${step.atomic ? ' (atomic)' : ''}`,
          );
          break;
        case 'call':
          lines.push(`${depth}${textOf(step.call)}`);
          break;
        case 'if':
          lines.push(`${depth}if ${textOf(step.cond)}`);
          walk(step.then, `${depth}  `);
          if (step.else) {
            lines.push(`${depth}else`);
            walk(step.else, `${depth}  `);
          }
          break;
        case 'region':
          lines.push(`${depth}${step.directive.name}${step.braces ? ' {}' : ''}${step.endDirective ? ' … end' : ''}`);
          walk(step.body, `${depth}  `);
          break;
        case 'directive':
          lines.push(`${depth}(${step.directive.name})`);
          break;
        case 'block':
          lines.push(`${depth}block`);
          walk(step.body, `${depth}  `);
          break;
        case 'jump':
          lines.push(`${depth}${step.form}${step.value ? ` ${textOf(step.value)}` : ''}`);
          break;
        case 'other':
          lines.push(
            `${depth}other reads ${step.reads.map(textOf).join(', ')}${step.writes.length ? ` writes ${step.writes.map(textOf).join(', ')}` : ''}`,
          );
          if (step.body) walk(step.body, `${depth}  `);
          break;
      }
    }
  };
  walk(procedure.body, '  ');
  return lines;
}

function variableText(variable: Variable): string {
  const words = [
    variable.role,
    variable.constant && 'const',
    variable.pointer && 'pointer',
    variable.restrict && 'restrict',
    variable.allocatable && 'allocatable',
    variable.intent && `intent(${variable.intent})`,
  ].filter(Boolean);
  const dimensions =
    variable.dimensions
      ?.map(
        (one) =>
          `[${one.extent ? textOf(one.extent) : one.lower || one.upper ? `${textOf(one.lower)}:${textOf(one.upper)}` : ''}]`,
      )
      .join('') ?? '';
  return `${words.join(' ')} ${variable.name}${dimensions}: ${variable.type}${variable.elementBytes === undefined ? '' : `/${variable.elementBytes}`}${variable.floating ? ' floating' : ''}${variable.value ? ` = ${textOf(variable.value)}` : ''}`;
}

/** A value in C's spelling, from its structure alone. */
export function textOf(value: Value | undefined): string {
  if (!value) return '';
  switch (value.kind) {
    case 'number':
      return String(value.value);
    case 'name':
      return value.name;
    case 'element':
      return `${value.array}${value.subscripts.map((one) => `[${textOf(one)}]`).join('')}`;
    case 'member':
      return value.path;
    case 'unary':
      return `${value.op}${textOf(value.operand)}`;
    case 'binary':
      return `(${textOf(value.left)} ${value.op} ${textOf(value.right)})`;
    case 'call':
      return `${value.name}(${value.args.map(textOf).join(', ')})`;
    case 'conditional':
      return `(${textOf(value.cond)} ? ${textOf(value.then)} : ${textOf(value.else)})`;
    case 'section':
      return `${textOf(value.lower)}:${value.length ? `+${textOf(value.length)}` : textOf(value.upper)}${value.step ? `:${textOf(value.step)}` : ''}`;
    case 'other':
      return `{${value.parts.map(textOf).join(', ')}${value.assigns?.length ? ` assigns ${value.assigns.map(textOf).join(', ')}` : ''}}`;
  }
}
