// A main for a rule's example that has none: calls each of its procedures with arrays filled by a pattern, and prints
// sums of what they hold afterwards.
import type { Procedure, ProcedureFile, Step, Value, Variable } from '../../server/src/syntax/procedures';

/** Elements of an array whose extents say nothing; rows of examples have at most 48 elements of 8 entries each. */
const plenty = 1 << 20;
const usual = 48;
/** Elements of an array that its printed sums are of. */
const lengths = [2, usual, 4096, plenty];

/**
 * Makes a program of the example's text (or of its fixed text); undefined when no procedure can be called with what is
 * known of it. Arrays that the example's own clauses bring start on the host, others on the device.
 */
export function generateMain(file: ProcedureFile): ((example: string) => string) | undefined {
  const callable = file.procedures.filter((procedure) => procedure.name !== 'main' && !procedure.device);
  return file.language === 'c' ? mainInC(file, callable) : mainInFortran(file, callable);
}

/** The directives of a procedure, continuation lines joined. */
function directivesOf(file: ProcedureFile, procedure: Procedure): readonly string[] {
  return file.text
    .slice(procedure.start, procedure.end)
    .replace(/\\\n|&\s*\n\s*!\$acc&?/gi, ' ')
    .split('\n')
    .filter((line) => /^\s*(?:#\s*pragma\s+acc|[!cC*]\$acc)/i.test(line));
}

function named(lines: readonly string[], clauses: string, name: string): boolean {
  const wanted = new RegExp(
    `\\b(?:${clauses})\\s*\\((?:[^()]|\\([^()]*\\))*\\b${name.replace(/[^\w]/g, '\\$&')}\\b`,
    'i',
  );
  return lines.some((line) => wanted.test(line));
}

/** Texts of the compute constructs of a procedure. */
function computeTexts(file: ProcedureFile, steps: readonly Step[]): readonly string[] {
  return steps.flatMap((step) => {
    const inside =
      'body' in step && step.body
        ? computeTexts(file, step.body)
        : step.kind === 'if'
          ? computeTexts(file, [...step.then, ...(step.else ?? [])])
          : [];
    return step.kind === 'region' && /^(?:parallel|kernels|serial)\b/.test(step.directive.name)
      ? [file.text.slice(Math.min(step.start, step.directive.start), step.end), ...inside]
      : inside;
  });
}

/**
 * Where an array starts: on the host when a clause of the procedure brings it, or when no compute construct there
 * speaks of it.
 */
function startsOnHost(file: ProcedureFile, procedure: Procedure, name: string): boolean {
  const lines = directivesOf(file, procedure);
  const used = new RegExp(`\\b${name.replace(/[^\w]/g, '\\$&')}\\b`, 'i');
  // A member is reached through a local pointer, whose name is not known here.
  const spoken = computeTexts(file, procedure.body).some((text) => /[>.%]/.test(name) || used.test(text));
  return !spoken || named(lines, 'copy|copyin|copyout|create|pcopy\\w*|present_or_\\w+', name);
}

/** What the device keeps for itself, which the host never sees, is not a result. */
function isScratch(file: ProcedureFile, procedure: Procedure, name: string): boolean {
  const lines = directivesOf(file, procedure);
  return named(lines, 'create', name) && !named(lines, 'copy|copyout|self|host|update', name);
}

const countLike = /^(?:steps|turns|iterations|sweeps)$/i;
const beginLike = /(?:beg|first|start|row|off|ptr)/i;
const indexLike = /(?:col|index|idx)/i;

function integerFor(name: string): number {
  return countLike.test(name) ? 4 : /^(?:width|taps)$/i.test(name) ? 6 : /^(?:edge)$/i.test(name) ? 8 : usual;
}

// ---- C and C++ -----------------------------------------------------------------------------------------------------

const cScalars: Readonly<Record<string, 'integer' | 'floating'>> = {
  int: 'integer',
  unsigned: 'integer',
  'unsigned int': 'integer',
  long: 'integer',
  'unsigned long': 'integer',
  'long long': 'integer',
  size_t: 'integer',
  short: 'integer',
  char: 'integer',
  bool: 'integer',
  double: 'floating',
  float: 'floating',
};

function mainInC(file: ProcedureFile, procedures: readonly Procedure[]): ((example: string) => string) | undefined {
  const blocks: string[] = [];
  for (const procedure of procedures) {
    const before: string[] = [];
    const after: string[] = [];
    const words: string[] = [];
    const device: string[] = [];
    let serial = 0;
    const array = (type: string, name: string, path: string): string => {
      const made = `array${serial++}`;
      const value =
        cScalars[type] === 'floating'
          ? '(i % 13) * 0.25 + 0.5'
          : beginLike.test(name)
            ? 'i * 8'
            : indexLike.test(name)
              ? `i % ${usual}`
              : 'i % 5';
      before.push(
        `${type} *${made} = (${type} *)malloc(sizeof(${type}) * ${plenty});`,
        `for (long i = 0; i < ${plenty}; i++) ${made}[i] = ${value};`,
      );
      if (!startsOnHost(file, procedure, path)) device.push(`${made}[0:${plenty}]`);
      // Several lengths, so that one wrong element of a small result is not lost in a large sum.
      if (!isScratch(file, procedure, path))
        for (const length of lengths)
          after.push(
            `checksum = 0; for (long i = 0; i < ${length}; i++) checksum += (double)${made}[i] * (i % 7 + 1);`,
            `printf("${procedure.name} ${name} %.9g\\n", checksum);`,
          );
      after.push(`free(${made});`);
      return made;
    };
    const known = procedure.parameters.every((name) => {
      const variable = procedure.variables.find((each) => each.role === 'parameter' && each.name === name);
      if (!variable) return false;
      const scalar = cScalars[variable.type];
      if (variable.dimensions === undefined && scalar !== undefined) {
        words.push(scalar === 'floating' ? '0.75' : String(integerFor(name)));
        return true;
      }
      if (scalar !== undefined && variable.dimensions) {
        const made = array(variable.type, name, name);
        const inner = variable.dimensions.slice(1);
        words.push(
          inner.length === 0
            ? made
            : inner.every(({ extent }) => extent?.kind === 'number')
              ? `(${variable.type} (*)${inner.map(({ extent }) => `[${(extent as Extract<Value, { kind: 'number' }>).value}]`).join('')})${made}`
              : `(void *)${made}`,
        );
        return true;
      }
      const members = procedure.variables.filter(
        (each) => each.name.startsWith(`${name}->`) || each.name.startsWith(`${name}.`),
      );
      if (members.length === 0) return false;
      const made = `object${serial++}`;
      const tagged =
        new RegExp(`\\bstruct\\s+${variable.type}\\b`).test(file.text) && !variable.type.startsWith('struct ');
      before.push(`${tagged ? 'struct ' : ''}${variable.type} ${made};`);
      for (const member of members) {
        const field = member.name.slice(name.length).replace(/^->|^\./, '');
        if (cScalars[member.type] === undefined || /[.>]/.test(field)) return false;
        before.push(
          `${made}.${field} = ${member.dimensions ? array(member.type, field, member.name) : integerFor(field)};`,
        );
      }
      words.push(variable.pointer || variable.dimensions ? `&${made}` : made);
      return true;
    });
    if (!known || (procedure.parameters.length > 0 && serial === 0)) continue;
    const list = device.join(', ');
    const returned = /\b(double|float|int|long)\s+$/.exec(file.text.slice(procedure.start, procedure.nameAt.start));
    const call = `${procedure.name}(${words.join(', ')})`;
    blocks.push(
      [
        `  { /* ${procedure.name} */`,
        '    double checksum = 0;',
        ...before.map((line) => `    ${line}`),
        ...(list ? [`    #pragma acc enter data copyin(${list})`] : []),
        returned ? `    printf("${procedure.name} %.9g\\n", (double)${call});` : `    ${call};`,
        ...(list ? [`    #pragma acc exit data copyout(${list}) finalize`] : []),
        ...after.map((line) => `    ${line}`),
        '    (void)checksum;',
        '  }',
      ].join('\n'),
    );
  }
  return blocks.length === 0
    ? undefined
    : (example) =>
        `${example}\n#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n${blocks.join('\n')}\n  return 0;\n}\n`;
}

// ---- Fortran -------------------------------------------------------------------------------------------------------

const fortranTypes: Readonly<Record<string, string>> = {
  double: 'real(8)',
  float: 'real(4)',
  int: 'integer',
  long: 'integer(8)',
  'long long': 'integer(8)',
  bool: 'logical',
  _Bool: 'logical',
};

function mainInFortran(
  file: ProcedureFile,
  procedures: readonly Procedure[],
): ((example: string) => string) | undefined {
  const text = file.text;
  const modules = [...text.matchAll(/^\s*module\s+(?!procedure\b)(\w+)/gim)].map((match) => match[1]!);
  const declarations: string[] = [];
  const steps: string[] = [];
  let serial = 0;
  for (const procedure of procedures) {
    const head = text.slice(procedure.start, procedure.nameAt.end);
    if (!/\bsubroutine\b/i.test(head)) continue;
    const before: string[] = [];
    const after: string[] = [];
    const words: string[] = [];
    const device: string[] = [];
    const own: string[] = [];
    /** Logical variables have the type of their size. */
    const typeOf = (variable: Variable): string | undefined =>
      new RegExp(`^\\s*logical\\b[^!\\n]*\\b${variable.name}\\b`, 'im').test(text.slice(procedure.start, procedure.end))
        ? 'logical'
        : fortranTypes[variable.type];
    const array = (variable: Variable, name: string, path: string): string => {
      const made = `w${serial++}`;
      const type = typeOf(variable)!;
      const assumed = variable.allocatable === true || variable.dimensions!.every(({ upper }) => upper === undefined);
      const rank = assumed ? variable.dimensions!.length : 1;
      const size = rank === 1 ? (assumed ? 4096 : plenty) : rank === 2 ? 64 : 50;
      own.push(
        `${type}, ${variable.allocatable ? 'allocatable' : 'pointer'} :: ${made}(${Array(rank).fill(':').join(',')})`,
      );
      before.push(`allocate(${made}(${Array(rank).fill(size).join(',')}))`);
      const item =
        type === 'logical'
          ? 'mod(i, 3) > 0'
          : type.startsWith('real')
            ? 'mod(i - 1, 13) * 0.25d0 + 0.5d0'
            : beginLike.test(name)
              ? '1 + (i - 1) * 8'
              : indexLike.test(name)
                ? `1 + mod(i - 1, ${usual})`
                : 'mod(i - 1, 5)';
      before.push(
        rank === 1
          ? `do i = 1, ${size}; ${made}(i) = ${item}; end do`
          : `${made} = reshape([(${item}, i = 1, ${size ** rank})], shape(${made}))`,
      );
      if (!startsOnHost(file, procedure, path)) device.push(made);
      if (isScratch(file, procedure, path)) after.push(`deallocate(${made})`);
      else if (type === 'logical') after.push(`print '(a,i0)', '${procedure.name} ${name} ', count(${made})`);
      else if (rank === 1)
        for (const length of lengths.filter((each) => each <= size))
          after.push(
            'checksum = 0',
            `do i = 1, ${length}; checksum = checksum + ${made}(i) * (mod(i - 1, 7) + 1); end do`,
            `print '(a,es16.8)', '${procedure.name} ${name} ', checksum`,
          );
      else
        after.push(
          `print '(a,3es16.8)', '${procedure.name} ${name} ', sum(dble(${made}(${Array(rank).fill('1:2').join(',')}))), sum(dble(${made}(${Array(rank).fill('3:8').join(',')}))), sum(dble(${made}) * reshape([(mod(i - 1, 7) + 1, i = 1, size(${made}))], shape(${made})))`,
        );
      if (!isScratch(file, procedure, path)) after.push(`deallocate(${made})`);
      return made;
    };
    const known = procedure.parameters.every((name) => {
      const variable = procedure.variables.find((each) => each.role === 'parameter' && each.name === name);
      if (!variable) return false;
      const type = typeOf(variable);
      if (type !== undefined && variable.dimensions) {
        words.push(array(variable, name, name));
        return true;
      }
      if (type !== undefined) {
        const made = `s${serial++}`;
        own.push(`${type} :: ${made}`);
        before.push(`${made} = ${type === 'logical' ? '.true.' : type.startsWith('real') ? '0.75' : integerFor(name)}`);
        after.push(`print *, '${procedure.name} ${name} ', ${made}`);
        words.push(made);
        return true;
      }
      const members = procedure.variables.filter((each) => each.name.startsWith(`${name}%`));
      if (members.length === 0) return false;
      const made = `o${serial++}`;
      own.push(`type(${variable.type.replace(/^struct /, '')}) :: ${made}`);
      for (const member of members) {
        const field = member.name.slice(name.length + 1);
        if (typeOf(member) === undefined || field.includes('%')) return false;
        before.push(
          member.dimensions
            ? `${made}%${field} => ${array({ ...member, dimensions: member.dimensions.map(() => ({})) }, field, member.name)}`
            : `${made}%${field} = ${integerFor(field)}`,
        );
        // The pointer is set once its target is allocated.
        if (member.dimensions)
          before.push(
            before.splice(
              before.findIndex((line) => line.startsWith(`${made}%${field} =>`)),
              1,
            )[0]!,
          );
      }
      words.push(made);
      return true;
    });
    if (!known || words.length === 0) continue;
    declarations.push(...own);
    steps.push(
      ...before,
      ...(device.length > 0 ? [`!$acc enter data copyin(${device.join(', ')})`] : []),
      `call ${procedure.name}(${words.join(', ')})`,
      ...(device.length > 0 ? [`!$acc exit data copyout(${device.join(', ')}) finalize`] : []),
      ...after,
    );
  }
  if (steps.length === 0) return undefined;
  const indent = file.fixedForm ? '      ' : '  ';
  const head = [
    `${indent}program generated_main`,
    ...modules.map((name) => `${indent}use ${name}`),
    `${indent}integer :: i`,
    `${indent}real(8) :: checksum`,
    ...declarations.map((line) => indent + line),
    ...steps.map((line) => (line.startsWith('!$acc') ? (file.fixedForm ? line : indent + line) : indent + line)),
  ].join('\n');
  // Procedures outside of modules become the program's own, which makes their interfaces known.
  return modules.length > 0
    ? (example) => `${example}\n${head}\n${indent}end program\n`
    : (example) => `${head}\n${indent}contains\n${example}\n${indent}end program\n`;
}
