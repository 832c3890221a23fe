// A directive as lines of text, each part shown by what is at its offsets, so that a wrong offset is a wrong line.
import type { ClauseArgument, Directive, Place, Value } from '../../../server/src/syntax/procedures';

export function dumpDirective(directive: Directive, text: string): string {
  const at = ({ start, end, macro }: Place): string =>
    `${macro ? 'macro ' : ''}‹${text.slice(start, end).replace(/\r?\n/g, '⏎')}›`;
  const argument = (given: ClauseArgument | undefined): string =>
    given === undefined
      ? ''
      : ` (${given.operator === undefined ? '' : `${given.operator} : `}${[
          ...given.modifiers.map(
            (each) => `${each.name}${at(each.at)}${each.item === undefined ? '' : `→${each.item}`}:`,
          ),
          ...given.items.map(
            (item) =>
              `${item.text}${item.variable === undefined ? '' : ` of ${item.variable}`} = ${item.value ? dumpValue(item.value) : '?'}`,
          ),
        ].join(' ; ')})`;
  const lines = [
    `${directive.known ? '' : 'unknown '}${directive.name || '(nothing)'} ${at(directive.nameAt)}${argument(directive.argument)}`,
    `  whole ${at(directive)}`,
  ];
  for (const clause of directive.clauses) {
    lines.push(
      `  ${clause.known ? '' : 'unknown '}${clause.name}${clause.deviceTypes ? ` for ${clause.deviceTypes.join('|')}` : ''} ${at(clause.nameAt)}${argument(clause.argument)}${clause.argument && !clause.macro ? ` ${at(clause)}` : ''}`,
    );
  }
  for (const problem of directive.problems) {
    lines.push(
      `  ! ${problem.code} ${at(problem.at)} ${Object.entries(problem.data)
        .map(([name, value]) => `${name}=${value}`)
        .join(' ')}`,
    );
    if (problem.fix)
      lines.push(
        `    ${problem.fix.safe ? 'safe' : 'unsafe'} ${problem.fix.title}: ${fixed(problem.fix.edits, directive, text)}`,
      );
  }
  return lines.join('\n');
}

/** The directive with a fix's edits done. */
function fixed(
  edits: readonly { readonly at: Place; readonly newText: string }[],
  directive: Directive,
  text: string,
): string {
  let result = text.slice(0, directive.end);
  for (const { at, newText } of [...edits].sort((a, b) => b.at.start - a.at.start))
    result = result.slice(0, at.start) + newText + result.slice(at.end);
  return result.slice(directive.start).replace(/\r?\n/g, '⏎');
}

export function dumpValue(value: Value): string {
  switch (value.kind) {
    case 'number':
      return `${value.value}${value.integer ? '' : 'r'}`;
    case 'name':
      return value.name;
    case 'element':
      return `[${value.array}: ${dumpValue(value.base)} ${value.subscripts.map(dumpValue).join(', ')}]`;
    case 'member':
      return `(${dumpValue(value.object)} . ${value.field} as ${value.path})`;
    case 'unary':
      return `(${value.op} ${dumpValue(value.operand)})`;
    case 'binary':
      return `(${dumpValue(value.left)} ${value.op} ${dumpValue(value.right)})`;
    case 'call':
      return `${value.name}(${value.args.map(dumpValue).join(', ')})`;
    case 'conditional':
      return `(${dumpValue(value.cond)} ? ${dumpValue(value.then)} : ${dumpValue(value.else)})`;
    case 'section':
      return `{${[value.lower ? dumpValue(value.lower) : '', value.length ? `#${dumpValue(value.length)}` : value.upper ? dumpValue(value.upper) : '', ...(value.step ? [dumpValue(value.step)] : [])].join('..')}}`;
    case 'other':
      return `<${value.parts.map(dumpValue).join(' ')}>`;
  }
}
