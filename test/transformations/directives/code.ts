// The code in library style: arrays in structures, the body of a loop as a procedure.
import type { Change } from '../marked';
import type { Place, Procedure, Step, Value, Variable } from '../../../server/src/syntax/procedures';
import { effectsOf, walkValue } from '../../../server/src/semantic/acc/analysis/steps';
import type { AccProgram, DirectiveTransformation } from './program';

/** The place between a procedure's braces. */
function bodyOf({ text }: AccProgram, { start, end }: Procedure): Place {
  return { start: text.indexOf('{', start) + 1, end };
}

function declaredOnce({ variables }: Procedure, { name }: Variable): boolean {
  return variables.filter((one) => one.name === name).length === 1;
}

/** Pointers that a procedure is handed become members of a structure. */
const members: DirectiveTransformation = {
  name: 'arrays in a structure',
  apply(program) {
    if (program.language !== 'c') return undefined;
    return program.changed(
      program.file.procedures.flatMap((procedure): Change[] => {
        if (!program.regions.some((region) => region.procedure === procedure)) return [];
        const pointers = procedure.variables.filter(
          (one) =>
            one.role === 'parameter' &&
            one.dimensions?.length === 1 &&
            !one.dimensions[0]!.extent &&
            !one.reference &&
            /^[\w ]+$/.test(one.type) &&
            declaredOnce(procedure, one),
        );
        if (!pointers.length) return [];
        const name = program.fresh('arrays');
        const body = bodyOf(program, procedure);
        const list = pointers.map((one) => {
          const restrict = one.restrict ? (program.path.endsWith('.c') ? 'restrict ' : '__restrict__ ') : '';
          return `${one.constant ? 'const ' : ''}${one.type.replace(/^const /, '')} *${restrict}${one.name};`;
        });
        const initial = pointers.map((one) => one.name).join(', ');
        return [
          { start: body.start, end: body.start, by: [`\n  struct { ${list.join(' ')} } ${name} = { ${initial} };`] },
          ...pointers.flatMap((one) =>
            program.uses(one.name, body).map(({ start }) => ({ start, end: start, by: [`${name}.`] })),
          ),
        ];
      }),
    );
  },
};

function namesIn(steps: readonly Step[]): ReadonlySet<string> {
  const names = new Set<string>();
  const take = (value: Value | undefined): void => {
    if (value)
      walkValue(value, (part) => {
        if (part.kind === 'name') names.add(part.name);
        return true;
      });
  };
  for (const step of steps) {
    if (step.kind !== 'assign') names.add('');
    else {
      take(step.target);
      take(step.value);
    }
  }
  return names;
}

/** The body of an innermost loop, plain assignments to elements, is called. */
const called: DirectiveTransformation = {
  name: 'loop body in a routine',
  apply(program) {
    if (program.language !== 'c') return undefined;
    return program.changed(
      program.loops.flatMap(({ step, procedure }): Change[] => {
        const body = step.body.length === 1 && step.body[0]!.kind === 'block' ? step.body[0]!.body : step.body;
        const [first] = body;
        const last = body.at(-1);
        const isInside = program.regions.some(
          ({ step: region }) => region.start <= step.start && step.end <= region.end,
        );
        if (!first || !last || !isInside || step.form !== 'counted') return [];
        const names = namesIn(body);
        if (
          names.has('') ||
          effectsOf(body).declared.size ||
          body.some((one) => one.kind !== 'assign' || one.target.kind !== 'element')
        )
          return [];
        const handed = [...names].flatMap((name): { name: string; text: string | undefined }[] => {
          const variables = procedure.variables.filter((one) => one.name === name);
          const [variable] = variables;
          if (!variable || variable.role === 'global') return [];
          // Counters of several loops have one name.
          if (
            variables.some(
              ({ type, dimensions }) => type !== variable.type || dimensions?.length !== variable.dimensions?.length,
            )
          )
            return [{ name, text: undefined }];
          const type = `${variable.constant ? 'const ' : ''}${variable.type.replace(/^const /, '')}`;
          const isPointer = variable.dimensions?.length === 1 && !variable.dimensions[0]!.extent;
          if ((variable.dimensions && !isPointer) || !/^[\w ]+$/.test(type)) return [{ name, text: undefined }];
          const restrict = variable.restrict ? (program.path.endsWith('.c') ? 'restrict ' : '__restrict__ ') : '';
          return [{ name, text: `${type} ${isPointer ? `*${restrict}` : ''}${name}` }];
        });
        if (handed.some(({ text }) => text === undefined)) return [];
        const semicolon = program.text.indexOf(';', last.end - 1) + 1;
        const code = { start: first.start, end: semicolon };
        if (/[#{}]/.test(program.text.slice(code.start, code.end))) return [];
        const name = program.fresh('element');
        return [
          {
            start: procedure.start,
            end: procedure.start,
            by: [
              `#pragma acc routine seq\nstatic inline void ${name}(${handed.map(({ text }) => text).join(', ')}) { `,
              program.slice(code),
              ' }\n\n',
            ],
          },
          { ...code, by: [`${name}(${handed.map((one) => one.name).join(', ')});`] },
        ];
      }),
    );
  },
};

export const code: readonly DirectiveTransformation[] = [members, called];
