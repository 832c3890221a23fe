// Which atomic functions there are for which types (CUDA C++ Programming Guide, "Atomic Functions").

const integers = ['Add', 'Sub', 'Min', 'Max', 'Exch', 'And', 'Or', 'Xor'];
/** What comes behind `atomic`, by type; numbers with a fraction have no minimum. */
export const atomicFunctions: Readonly<Record<string, readonly string[]>> = {
  int: integers,
  'unsigned int': integers,
  'unsigned long long': integers.filter((name) => name !== 'Sub'),
  float: ['Add', 'Exch'],
  double: ['Add'],
};
/** What comes behind `atomic`, by the operator that it stands for. */
export const atomicOperators: Readonly<Record<string, string>> = {
  '+': 'Add',
  '-': 'Sub',
  '&': 'And',
  '|': 'Or',
  '^': 'Xor',
};
