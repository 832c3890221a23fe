// The program in another form or language: fixed and free form, C++, templates, modules.
import { changed, joined, slice, type Change, type Marked } from '../marked';
import type { AccProgram, DirectiveTransformation } from './program';

function linesOf({ source }: AccProgram): readonly Marked[] {
  const lines: Marked[] = [];
  for (let start = 0; start < source.text.length; ) {
    const next = source.text.indexOf('\n', start);
    const end = next < 0 ? source.text.length : next;
    lines.push(slice(source, start, end));
    start = end + 1;
  }
  return lines;
}

/** A line of at most 72 columns, then its continuations, cut at blanks. */
function cut(statement: Marked, first: string, next: string): Marked {
  const out: (string | Marked)[] = [];
  let rest = statement;
  for (let prefix = first; ; prefix = next) {
    const room = 72 - prefix.length;
    const at = rest.text.length <= room ? rest.text.length : rest.text.lastIndexOf(' ', room);
    const end = at <= 0 ? room : at;
    out.push(prefix, slice(rest, 0, end), '\n');
    rest = slice(rest, end);
    if (!rest.text.length) return joined(out);
  }
}

/** Without comments behind code, which a joined line has no place for. */
const comment = /^(?:[^!'"]|'[^']*'|"[^"]*")*?(?=!)/;

const fixed: DirectiveTransformation = {
  name: 'free form as fixed form',
  apply(program) {
    if (program.language !== 'free') return undefined;
    const out: (string | Marked)[] = [];
    let open: Marked[] = [];
    const flush = (): void => {
      if (!open.length) return;
      const whole = joined(open);
      open = [];
      const sentinel = /^\s*!\$acc/i.exec(whole.text);
      const bare = slice(whole, sentinel ? sentinel[0].length : whole.text.search(/\S/));
      out.push(sentinel ? cut(bare, '!$acc', '!$acc& ') : cut(bare, '      ', '     & '));
    };
    for (const line of linesOf(program)) {
      const { text } = line;
      const isDirective = /^\s*!\$acc/i.test(text);
      if (!isDirective && /^\s*(?:!.*)?$/.test(text)) {
        if (!open.length) out.push(/^\s*!/.test(text) ? slice(line, text.indexOf('!')) : '', '\n');
        continue;
      }
      const from = isDirective ? text.search(/\$acc/i) + 4 : 0;
      const tail = comment.exec(text.slice(from))?.[0].length;
      const code = slice(line, 0, tail === undefined ? text.length : from + tail);
      const goesOn = /&\s*$/.exec(code.text);
      const start = open.length ? (/^\s*(?:!\$acc)?\s*&?/i.exec(code.text)?.[0].length ?? 0) : 0;
      open.push(slice(code, start, goesOn ? goesOn.index : code.text.trimEnd().length));
      if (!goesOn) flush();
    }
    flush();
    return { main: joined(out), path: program.path.replace(/90$/, '') };
  },
};

const free: DirectiveTransformation = {
  name: 'fixed form as free form',
  apply(program) {
    if (program.language !== 'fixed') return undefined;
    const lines = linesOf(program).map((line): { line: Marked; goesOn: boolean } => {
      const { text } = line;
      if (/^[!cC*]\$acc/i.test(text)) {
        const goesOn = /^.{5}[^ 0]/.test(text);
        return { line: joined(['!$acc ', slice(line, 6)]), goesOn };
      }
      if (/^[cC*]/.test(text)) return { line: joined(['!', slice(line, 1)]), goesOn: false };
      if (/^ {5}[^ 0]/.test(text)) return { line: joined(['      ', slice(line, 6)]), goesOn: true };
      return { line, goesOn: false };
    });
    const out = lines.flatMap(({ line }, at) => [line, lines[at + 1]?.goesOn ? ' &\n' : '\n']);
    return { main: joined(out), path: program.path.replace(/f$/, 'f90') };
  },
};

/** What C++ spells otherwise; undefined where it lacks something. */
function plusPlus(program: AccProgram): readonly Change[] | undefined {
  const { text, path } = program;
  if (program.language !== 'c' || !path.endsWith('.c')) return undefined;
  // Arrays of variable length as parameters, designators and pointers from `void *` are C alone.
  if (
    /\w\s*\[[a-z]\w*\]\s*(?:\[[^\]]*\]\s*)?[,)]|\(\*\w*\)\s*\[[a-z]|[{,]\s*\.\w+\s*=|\bmalloc\b|\bcalloc\b/.test(text)
  )
    return undefined;
  return program
    .uses('restrict', { start: 0, end: text.length })
    .map(({ start, end }) => ({ start, end, by: ['__restrict__'] }));
}

const cpp: DirectiveTransformation = {
  name: 'C as C++',
  apply(program) {
    const changes = plusPlus(program);
    return changes && { main: changed(program.source, changes), path: `${program.path}pp` };
  },
};

const template: DirectiveTransformation = {
  name: 'C as a template of C++',
  apply(program) {
    const changes = plusPlus(program);
    const procedures = program.file.procedures.filter(
      ({ name, parameters, variables, start }) =>
        parameters.some((one) =>
          variables.some((each) => each.name === one && each.type === 'double' && each.dimensions),
        ) &&
        !/\bextern\b|\bstatic\b/.test(program.text.slice(program.text.lastIndexOf('\n', start) + 1, start + 8)) &&
        program.uses(name, { start: 0, end: program.text.length }).length === 1,
    );
    if (!changes || !procedures.length) return undefined;
    const parameter = program.fresh('Real');
    return {
      main: changed(program.source, [
        ...changes,
        ...procedures.flatMap((procedure): Change[] => {
          const head = program.text.slice(procedure.start, program.text.indexOf('{', procedure.start));
          const instance = head
            .replace(/\brestrict\b/g, '__restrict__')
            .replace(new RegExp(`\\b${procedure.name}\\b`), `${procedure.name}<double>`)
            .trimEnd();
          return [
            { start: procedure.start, end: procedure.start, by: [`template <typename ${parameter}>\n`] },
            ...program.uses('double', procedure).map(({ start, end }) => ({ start, end, by: [parameter] })),
            { start: procedure.end, end: procedure.end, by: [`\ntemplate ${instance};`] },
          ];
        }),
      ]),
      path: `${program.path}pp`,
    };
  },
};

const namespaced: DirectiveTransformation = {
  name: 'in a namespace',
  apply(program) {
    if (program.language !== 'c' || program.path.endsWith('.c')) return undefined;
    if (/\bmain\s*\(/.test(program.text)) return undefined;
    const heads = [...program.text.matchAll(/^[ \t]*#[ \t]*(?:include|define)(?:\\\n|.)*\n/gm)];
    const start = heads.length ? heads.at(-1)!.index + heads.at(-1)![0].length : 0;
    const end = program.text.length;
    if (/^[ \t]*#[ \t]*(?:if|else|endif)/m.test(program.text)) return undefined;
    return program.changed([
      { start, end: start, by: [`namespace ${program.fresh('own')} {\n`] },
      { start: end, end, by: ['\n}\n'] },
    ]);
  },
};

const moduleOf: DirectiveTransformation = {
  name: 'in a module',
  apply(program) {
    if (program.language === 'c' || /^\s*(?:module|program|interface|contains|include)\b/im.test(program.text))
      return undefined;
    const [first] = program.file.procedures;
    const last = program.file.procedures.at(-1);
    if (!first || !last) return undefined;
    const indent = program.language === 'fixed' ? '      ' : '';
    const name = program.fresh('own_module');
    const start = program.text.lastIndexOf('\n', first.start) + 1;
    const end = program.text.length;
    // What a module holds has to say of what kind an end is.
    const ends = [...program.text.matchAll(/^[ \t]*(end)[ \t]*$/gim)];
    if (ends.length > 0) return undefined;
    return program.changed([
      { start, end: start, by: [`${indent}module ${name}\n${indent}contains\n`] },
      { start: end, end, by: [`${program.text.endsWith('\n') ? '' : '\n'}${indent}end module\n`] },
    ]);
  },
};

export const forms: readonly DirectiveTransformation[] = [fixed, free, cpp, template, namespaced, moduleOf];
