// The facts of a file that has none: every kind there is, by name.
import { noAccFacts } from './acc';
import type { Model } from './model';
import { noRestructuring } from './restructuring/find';

const { notes: _notes, ...directives } = noAccFacts;

export const noFacts: Model['facts'] = {
  ...directives,
  kernel: [],
  launch: [],
  access: [],
  branch: [],
  barrier: [],
  race: [],
  overrun: [],
  sweep: [],
  double: [],
  math: [],
  unread: [],
  'runtime-call': [],
  build: [],
  ...noRestructuring,
};
