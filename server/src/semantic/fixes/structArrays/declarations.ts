// What comes before kernels and host functions once the fields of a structure lie side by side: the structure of
// their addresses, and functions that allocate, fill, read and free them.
import type { Fn } from '../../language';

export interface Names {
  /** The structure of the host, as its declarations name it. */
  readonly whole: string;
  readonly fields: string;
  readonly allocate: string;
  readonly copyTo: string;
  readonly copyFrom: string;
  readonly free: string;
}

/** Names that no file of the unit uses. */
export function namesFor(whole: string, fn: Fn): Names {
  const isUsed = (name: string): boolean => fn.unit.files.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text));
  const last = whole.replace(/^.*::/, '');
  const stem = last.charAt(0).toUpperCase() + last.slice(1);
  for (let number = 1; ; number++) {
    const suffix = `${stem}Fields${number === 1 ? '' : number}`;
    const names = {
      whole,
      fields: suffix,
      allocate: `allocate${suffix}`,
      copyTo: `copyTo${suffix}`,
      copyFrom: `copyFrom${suffix}`,
      free: `free${suffix}`,
    };
    if (!Object.values(names).some((name) => name !== whole && isUsed(name))) return names;
  }
}

interface Field {
  readonly name: string;
  readonly type: string;
}

/** The lines of the declarations, as far as the calls of `kinds` ask for them. */
export function linesFor(
  fields: readonly Field[],
  { whole, fields: struct, allocate, copyTo, copyFrom, free }: Names,
  kinds: ReadonlySet<'make' | 'fill' | 'read' | 'free'>,
): string[] {
  // One after the other, until one fails.
  const each = (call: (field: Field) => string): string[] => [
    ...fields.map((field, at) =>
      at === 0 ? `  cudaError_t error = ${call(field)};` : `  if (error == cudaSuccess) error = ${call(field)};`,
    ),
    '  return error;',
    '}',
    '',
  ];
  const lines = [
    `// The fields of \`${whole}\` side by side on the GPU.`,
    `struct ${struct} {`,
    ...fields.map(({ name, type }) => `  ${type} *${name} = nullptr;`),
    '};',
    '',
  ];
  if (kinds.has('make'))
    lines.push(
      `static inline cudaError_t ${allocate}(${struct} &all, size_t count) {`,
      ...each(({ name, type }) => `cudaMalloc((void **)&all.${name}, count * sizeof(${type}))`),
    );
  if (kinds.has('fill'))
    lines.push(
      'template <typename T>',
      `static inline cudaError_t ${copyTo}(T *to, const ${whole} *from, T ${whole}::*field, size_t count) {`,
      '  T *values = new T[count];',
      '  for (size_t k = 0; k < count; k++) values[k] = from[k].*field;',
      '  const cudaError_t error = cudaMemcpy(to, values, count * sizeof(T), cudaMemcpyHostToDevice);',
      '  delete[] values;',
      '  return error;',
      '}',
      '',
      `static inline cudaError_t ${copyTo}(${struct} &to, const ${whole} *from, size_t count) {`,
      ...each(({ name }) => `${copyTo}(to.${name}, from, &${whole}::${name}, count)`),
    );
  if (kinds.has('read'))
    lines.push(
      'template <typename T>',
      `static inline cudaError_t ${copyFrom}(${whole} *to, T ${whole}::*field, const T *from, size_t count) {`,
      '  T *values = new T[count];',
      '  const cudaError_t error = cudaMemcpy(values, from, count * sizeof(T), cudaMemcpyDeviceToHost);',
      '  for (size_t k = 0; error == cudaSuccess && k < count; k++) to[k].*field = values[k];',
      '  delete[] values;',
      '  return error;',
      '}',
      '',
      `static inline cudaError_t ${copyFrom}(${whole} *to, const ${struct} &from, size_t count) {`,
      ...each(({ name }) => `${copyFrom}(to, &${whole}::${name}, from.${name}, count)`),
    );
  if (kinds.has('free'))
    lines.push(
      `static inline cudaError_t ${free}(const ${struct} &all) {`,
      ...each(({ name }) => `cudaFree(all.${name})`),
    );
  return lines;
}
