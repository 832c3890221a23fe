// Prints a source file's plain tree as compact s-expressions, for the fixtures in this folder.
import type {
  AliasDecl,
  EnumDecl,
  Expr,
  FieldDecl,
  FunctionDecl,
  Node,
  ParamDecl,
  SourceFile,
  Stmt,
  StructDecl,
  TemplateArg,
  TemplateParam,
  TypeSyntax,
  VarDecl,
} from '../../server/src/syntax';

export interface DumpOptions {
  readonly spans?: boolean;
}

/** One line per declaration, and one per statement in bodies. Nodes from macros are marked with `~`. */
export function dumpFile(file: SourceFile, options: DumpOptions = {}): string {
  const lines: string[] = [];
  for (const struct of file.structs) dumpStruct(struct, '', lines);
  for (const alias of file.aliases) lines.push(aliasText(alias));
  for (const declared of file.enums) lines.push(enumText(declared));
  for (const variable of file.globals)
    lines.push(
      `global ${variable.qualifiedName === variable.name ? '' : `${variable.qualifiedName} `}${variableText(variable)}`,
    );
  for (const declared of file.functions) dumpFunction(declared, lines, file, options);
  if (file.errors.length > 0) lines.push(`errors ${file.errors.length}`);
  return lines.join('\n');
}

function dumpStruct(struct: StructDecl, indent: string, lines: string[]): void {
  lines.push(
    `${indent}${struct.kind} ${struct.qualifiedName || '-'}${struct.specialisedFor ? ` for <${struct.specialisedFor.map(templateArgument).join(', ')}>` : ''}${templateText(struct.templateParams)}${struct.bases.length ? ` : ${struct.bases.map(typeText).join(', ')}` : ''}` +
      `${struct.align ? ` align ${expressionText(struct.align)}` : ''}${struct.packed ? ' packed' : ''}`,
  );
  for (const field of struct.fields) lines.push(`${indent}  ${fieldText(field)}`);
  for (const method of struct.methods) lines.push(`${indent}  method ${method.qualifiedName}`);
  for (const nested of struct.structs) dumpStruct(nested, `${indent}  `, lines);
  for (const alias of struct.aliases) lines.push(`${indent}  ${aliasText(alias)}`);
  for (const declared of struct.enums) lines.push(`${indent}  ${enumText(declared)}`);
}

function fieldText(field: FieldDecl): string {
  return (
    `field ${field.static ? 'static ' : ''}${field.name || '-'}: ${typeText(field.type)}${field.bits === undefined ? '' : ` bits ${field.bits}`}${field.align ? ` align ${expressionText(field.align)}` : ''}` +
    `${field.init ? ` = ${expressionText(field.init)}` : ''}`
  );
}

function aliasText(alias: AliasDecl): string {
  return `alias ${alias.qualifiedName}${templateText(alias.templateParams)} = ${typeText(alias.type)}`;
}

function enumText(declared: EnumDecl): string {
  return `enum ${declared.qualifiedName || '-'}${declared.underlying ? ` : ${typeText(declared.underlying)}` : ''} {${declared.values.map((value) => (value.value ? `${value.name} = ${expressionText(value.value)}` : value.name)).join(', ')}}`;
}

function dumpFunction(declared: FunctionDecl, lines: string[], file: SourceFile, options: DumpOptions): void {
  const flags = [
    declared.global && 'global',
    declared.device && 'device',
    declared.host && 'host',
    declared.externC && 'externC',
    declared.noinline && 'noinline',
    declared.constexpr && 'constexpr',
  ]
    .filter(Boolean)
    .join(' ');
  lines.push(
    `function ${declared.qualifiedName}${declared.specialisedFor ? ` for <${declared.specialisedFor.map(templateArgument).join(', ')}>` : ''}${templateText(declared.templateParams)}(${declared.params.map(parameterText).join(', ')}) -> ${typeText(declared.returns)} [${flags}]` +
      `${declared.className ? ` of ${declared.className}` : ''}${declared.launchBounds ? ` bounds ${declared.launchBounds.map(expressionText).join(', ')}` : ''}${declared.body ? '' : ' declared'}` +
      `${options.spans ? ` "${file.text.slice(declared.base + declared.nameStart, declared.base + declared.nameStart + declared.name.length)}"` : ''}`,
  );
  if (declared.body) for (const statement of declared.body.body) dumpStatement(statement, '  ', lines);
}

function templateText(params: readonly TemplateParam[] | undefined): string {
  return params
    ? `<${params.map((param) => `${param.kind === 'type' ? 'typename' : typeText(param.type)}${param.pack ? '...' : ''} ${param.name}${param.default === undefined ? '' : ` = ${param.kind === 'type' ? typeText(param.default as TypeSyntax) : expressionText(param.default as Expr)}`}`).join(', ')}>`
    : '';
}

function parameterText(param: ParamDecl): string {
  return `${param.name || '-'}: ${typeText(param.type)}${param.pack ? '...' : ''}${param.init ? ` = ${expressionText(param.init)}` : ''}`;
}

export function typeText(type: TypeSyntax): string {
  switch (type.kind) {
    case 'named':
      return `${type.const ? 'const ' : ''}${type.volatile ? 'volatile ' : ''}${type.name}${type.args ? `<${type.args.map(templateArgument).join(', ')}>` : ''}`;
    case 'pointer':
      return `${typeText(type.to)}*${type.const ? ' const' : ''}${type.volatile ? ' volatile' : ''}${type.restrict ? ' restrict' : ''}`;
    case 'reference':
      return `${typeText(type.to)}&`;
    case 'array':
      return `[${type.size ? expressionText(type.size) : ''}]${typeText(type.of)}`;
    case 'function':
      return `fn -> ${typeText(type.returns)}`;
    case 'auto':
      return `${type.const ? 'const ' : ''}auto`;
    case 'decltype':
      return `decltype(${expressionText(type.expr)})`;
    case 'struct':
      return `struct{${type.decl.name}${type.decl.fields.map((field) => ` ${field.name}: ${typeText(field.type)}`).join(';')}}`;
  }
}

function templateArgument(argument: TemplateArg): string {
  return 'type' in argument ? typeText(argument.type) : `(${expressionText(argument.expr)})`;
}

function mark(node: Node): string {
  return node.macro ? '~' : '';
}

function variableText(variable: VarDecl): string {
  const words = [
    variable.space !== 'none' && variable.space,
    variable.storage,
    variable.constant && 'const',
    variable.constexpr && 'constexpr',
    variable.volatile && 'volatile',
  ]
    .filter(Boolean)
    .join(' ');
  return `${mark(variable)}${words ? `${words} ` : ''}${variable.name}: ${typeText(variable.type)}${variable.align ? ` align ${expressionText(variable.align)}` : ''}${variable.init ? ` ${variable.initStyle ?? '?'} ${expressionText(variable.init)}` : ''}`;
}

function dumpStatement(statement: Stmt, indent: string, lines: string[]): void {
  const add = (text: string): void => {
    lines.push(indent + mark(statement) + text);
  };
  for (const pragma of statement.pragmas ?? []) lines.push(`${indent}#${pragma.text}`);
  const deeper = `${indent}  `;
  switch (statement.kind) {
    case 'block':
      add('block');
      for (const each of statement.body) dumpStatement(each, deeper, lines);
      return;
    case 'decl':
      add(`decl ${statement.vars.map(variableText).join('; ')}`);
      return;
    case 'expr':
      add(expressionText(statement.expr));
      return;
    case 'if':
      add(`if${statement.constexpr ? ' constexpr' : ''} ${expressionText(statement.cond)}`);
      if (statement.init) dumpStatement(statement.init, `${indent}init `, lines);
      dumpStatement(statement.then, deeper, lines);
      if (statement.else) {
        lines.push(`${indent}else`);
        dumpStatement(statement.else, deeper, lines);
      }
      return;
    case 'for':
      add(
        `for ${statement.cond ? expressionText(statement.cond) : '-'} ${statement.step ? expressionText(statement.step) : '-'}`,
      );
      if (statement.init) dumpStatement(statement.init, `${indent}init `, lines);
      dumpStatement(statement.body, deeper, lines);
      return;
    case 'rangeFor':
      add(`for ${variableText(statement.variable)} in ${expressionText(statement.range)}`);
      dumpStatement(statement.body, deeper, lines);
      return;
    case 'while':
      add(`while ${expressionText(statement.cond)}`);
      dumpStatement(statement.body, deeper, lines);
      return;
    case 'do':
      add(`do while ${expressionText(statement.cond)}`);
      dumpStatement(statement.body, deeper, lines);
      return;
    case 'switch':
      add(`switch ${expressionText(statement.cond)}`);
      for (const each of statement.body.body) dumpStatement(each, deeper, lines);
      return;
    case 'case':
      add(statement.value ? `case ${expressionText(statement.value)}` : 'default');
      for (const each of statement.body) dumpStatement(each, deeper, lines);
      return;
    case 'return':
      add(`return${statement.value ? ` ${expressionText(statement.value)}` : ''}`);
      return;
    case 'goto':
      add(`goto ${statement.label}`);
      return;
    case 'label':
      add(`label ${statement.label}`);
      dumpStatement(statement.body, indent, lines);
      return;
    case 'asm':
      add(
        `asm ${statement.template} : ${statement.outputs.map(expressionText).join(', ')} : ${statement.inputs.map(expressionText).join(', ')}`,
      );
      return;
    case 'type':
      for (const struct of statement.structs) dumpStruct(struct, indent, lines);
      for (const alias of statement.aliases) lines.push(indent + aliasText(alias));
      for (const declared of statement.enums) lines.push(indent + enumText(declared));
      return;
    case 'try':
      add('try');
      dumpStatement(statement.body, deeper, lines);
      for (const handler of statement.handlers) {
        lines.push(`${indent}catch`);
        dumpStatement(handler, deeper, lines);
      }
      return;
    case 'opaque':
      add('opaque');
      for (const part of statement.parts) {
        if (isStatement(part)) dumpStatement(part, deeper, lines);
        else lines.push(deeper + expressionText(part));
      }
      return;
    default:
      add(statement.kind);
  }
}

const STATEMENTS = new Set(
  'block decl expr if for rangeFor while do switch case break continue return goto label asm type try empty'.split(' '),
);
function isStatement(part: Stmt | Expr): part is Stmt {
  return STATEMENTS.has(part.kind) || (part.kind === 'opaque' && part.parts.some((each) => STATEMENTS.has(each.kind)));
}

export function expressionText(expression: Expr): string {
  return mark(expression) + bareText(expression);
}

function list(expressions: readonly Expr[]): string {
  return expressions.map((each) => ` ${expressionText(each)}`).join('');
}

function bareText(expression: Expr): string {
  switch (expression.kind) {
    case 'name':
      return `${expression.name}${expression.templateArgs ? `<${expression.templateArgs.map(templateArgument).join(', ')}>` : ''}`;
    case 'number':
      return `${Object.is(expression.value, -0) ? '-0' : expression.value}:${expression.type}`;
    case 'string':
      return expression.text;
    case 'unary':
      return `(${expression.op} ${expressionText(expression.operand)})`;
    case 'update':
      return expression.prefix
        ? `(${expression.op}pre ${expressionText(expression.operand)})`
        : `(${expression.op}post ${expressionText(expression.operand)})`;
    case 'binary':
      return `(${expression.op} ${expressionText(expression.left)} ${expressionText(expression.right)})`;
    case 'assign':
      return `(${expression.op} ${expressionText(expression.target)} ${expressionText(expression.value)})`;
    case 'conditional':
      return `(? ${expressionText(expression.cond)} ${expressionText(expression.then)} ${expressionText(expression.else)})`;
    case 'index':
      return `(index ${expressionText(expression.base)} ${expressionText(expression.index)})`;
    case 'member':
      return `(${expression.arrow ? '->' : '.'} ${expressionText(expression.object)} ${expression.field}${expression.templateArgs ? `<${expression.templateArgs.map(templateArgument).join(', ')}>` : ''})`;
    case 'call':
      return `(call${expression.braces ? '{}' : ''} ${expressionText(expression.callee)}${list(expression.args)})`;
    case 'launch':
      return `(launch ${expressionText(expression.callee)} <${list(expression.config)} >${list(expression.args)})`;
    case 'cast':
      return `(${expression.style}-cast ${typeText(expression.type)} ${expressionText(expression.operand)})`;
    case 'sizeof':
      return `(${expression.alignof ? 'alignof' : 'sizeof'} ${expression.type ? typeText(expression.type) : ''}${expression.operand ? `of ${expressionText(expression.operand)}` : ''})`;
    case 'initList':
      return `{${expression.elements.map((each, index) => (expression.fields?.[index] ? `.${expression.fields[index]} ` : '') + expressionText(each)).join(', ')}}`;
    case 'lambda': {
      const lines: string[] = [];
      for (const each of expression.body.body) dumpStatement(each, '', lines);
      return `(lambda${expression.device ? ' device' : ''}${expression.captureByReference ? ' &' : ''} (${expression.params.map(parameterText).join(', ')}) [${lines.join(' | ')}])`;
    }
    case 'new':
      return `(new ${typeText(expression.type)}${expression.size ? ` [${expressionText(expression.size)}]` : ''}${expression.args ? list(expression.args) : ''})`;
    case 'delete':
      return `(delete ${expressionText(expression.operand)})`;
    case 'opaque':
      return `(opaque${list(expression.parts)})`;
  }
}
