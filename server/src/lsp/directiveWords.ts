// What the words of OpenACC mean, in a sentence or two each, for hovers and completion.

export interface Meaning {
  readonly text: string;
  /** How it is written, a snippet's placeholders among it: `vector_length(${1:128})`. The name alone where absent. */
  readonly snippet?: string;
  /** What holds where it is not written. */
  readonly otherwise?: string;
}

export const directiveMeanings: Readonly<Record<string, Meaning>> = {
  parallel: {
    text:
      'Starts gangs on the device, and each of them runs the block. A loop inside is shared among them only ' +
      'where a `loop` directive says so.',
  },
  serial: {
    text:
      'Runs the block on the device with one gang, one worker and one vector lane: for the few scalar lines ' +
      'between kernels, so that the data can stay there.',
  },
  kernels: {
    text:
      'Leaves it to the compiler to make kernels of the loops in the block. It runs in parallel only what it ' +
      'can prove independent, or is told to be.',
  },
  loop: {
    text:
      'Spreads the iterations of the next loop over gangs, workers or vector lanes, or keeps them in order ' +
      'with `seq`.',
    otherwise:
      'inside `parallel` the iterations are taken to be independent; inside `kernels` the compiler has to prove it',
  },
  'parallel loop': {
    text:
      '`parallel` and `loop` in one: gangs are started and share the iterations of the next loop. The ' +
      'iterations are taken to be independent.',
  },
  'serial loop': { text: '`serial` and `loop` in one: the next loop runs on the device in order.' },
  'kernels loop': {
    text:
      '`kernels` and `loop` in one: the compiler makes a kernel of the next loop if it can prove the ' +
      'iterations independent, or `independent` says so.',
  },
  data: {
    text:
      'Keeps arrays on the device for the length of the block, so that the compute regions inside need not ' +
      'copy them.',
  },
  'enter data': {
    text:
      'Brings arrays to the device, where they stay until an `exit data`. Beginning and end may stand in ' +
      'different functions.',
  },
  'exit data': {
    text: 'Lets go of arrays that `enter data` brought: they are copied back, or deleted, when nobody else holds them.',
  },
  host_data: {
    text:
      'Gives host code in the block the device addresses of the variables in `use_device`, for CUDA calls and ' +
      'libraries.',
  },
  cache: {
    text:
      'Asks for the named elements to be kept in the fastest memory while the enclosing loop runs. Stands ' +
      'first in the body of the loop.',
    snippet: 'cache(${1:array}[${2:i}])',
  },
  atomic: { text: 'Makes the update of a memory location by the next statement indivisible.', otherwise: '`update`' },
  declare: {
    text:
      'Gives variables a place on the device for the whole life of the function, program or module in which ' +
      'they are declared.',
  },
  init: { text: 'Starts the runtime and the device, so that the first region does not pay for it.' },
  shutdown: { text: 'Ends the connection to the device.' },
  set: { text: 'Sets the device, its type or the queue that following directives of this thread use.' },
  update: {
    text:
      'Copies values between host and device for data that is on both: `self` (or `host`) towards the host, ' +
      '`device` towards the device.',
  },
  wait: {
    text:
      'Holds the host until the work in the queues that are named, or in all, is done; with `async` it orders ' +
      'queues among each other and holds nobody.',
  },
  routine: { text: 'Compiles a function for the device, and says which level of parallelism it uses inside.' },
};

export const clauseMeanings: Readonly<Record<string, Meaning>> = {
  if: {
    text:
      'Runs the construct on the device only where the condition holds; on data directives, does something ' +
      'only then.',
    snippet: 'if(${1:condition})',
  },
  self: {
    text: 'Runs the construct on the host itself; with a condition, where that holds.',
    snippet: 'self(${1:condition})',
  },
  async: {
    text:
      'Puts the work into a queue and goes on. Work of one queue runs in order, that of different queues may ' +
      'overlap.',
    snippet: 'async(${1:1})',
    otherwise: 'the host waits at the end of the construct',
  },
  wait: { text: 'Starts only when the named queues, or all, are done.', snippet: 'wait(${1:1})' },
  num_gangs: {
    text: 'How many gangs are started; on NVIDIA a gang is a thread block. Up to three numbers for `parallel`.',
    snippet: 'num_gangs(${1:n})',
    otherwise: 'the compiler or the runtime chooses by the loop',
  },
  num_workers: {
    text:
      'How many workers a gang has; on NVIDIA they are rows of vector lanes in one block. Workers times vector ' +
      'length stay within 1024 there.',
    snippet: 'num_workers(${1:4})',
    otherwise: 'the compiler chooses, often one',
  },
  vector_length: {
    text:
      'How many lanes a vector has; on NVIDIA a multiple of 32, the warp. A short inner loop wastes the lanes ' +
      'it has no iterations for.',
    snippet: 'vector_length(${1:128})',
    otherwise: '128 with nvc, 32 with GCC',
  },
  device_type: {
    text:
      'The clauses behind it hold for these devices only, up to the next `device_type`. Those before the first ' +
      'hold for the others.',
    snippet: 'device_type(${1:nvidia})',
  },
  default: {
    text:
      '`none`: every variable must stand in a data clause. `present`: arrays without one are on the device ' +
      'already.',
    snippet: 'default(${1|present,none|})',
    otherwise: 'arrays without a clause are copied, in `parallel` scalars are private to each gang',
  },
  copy: {
    text:
      'Makes room on the device, copies in at the start and out at the end; nothing is copied where the data ' +
      'is there already.',
    snippet: 'copy(${1:array})',
  },
  copyin: {
    text: 'Makes room on the device and copies in at the start. With `readonly:` the device only reads it.',
    snippet: 'copyin(${1:array})',
  },
  copyout: {
    text: 'Makes room on the device and copies out at the end. With `zero:` it starts with zeros.',
    snippet: 'copyout(${1:array})',
  },
  create: {
    text: 'Makes room on the device and copies nothing. With `zero:` it starts with zeros.',
    snippet: 'create(${1:array})',
  },
  no_create: {
    text: "Uses the data on the device where it is there, and the host's address where it is not.",
    snippet: 'no_create(${1:array})',
  },
  present: {
    text: 'Says that the data is on the device already; that it is not is an error at run time.',
    snippet: 'present(${1:array})',
  },
  deviceptr: {
    text: 'The pointer holds a device address: nothing is mapped or copied.',
    snippet: 'deviceptr(${1:pointer})',
  },
  attach: {
    text: "Makes a pointer on the device point to the device's copy of what it points to.",
    snippet: 'attach(${1:pointer})',
  },
  detach: { text: 'Gives a pointer on the device its host value back.', snippet: 'detach(${1:pointer})' },
  delete: { text: 'Lets go of the data on the device without copying it back.', snippet: 'delete(${1:array})' },
  private: {
    text:
      'A copy of its own for each gang (on `parallel`), or for each thread that runs the loop (on `loop`), ' +
      'without a value at the start.',
    snippet: 'private(${1:variable})',
  },
  firstprivate: {
    text: "A copy of its own for each gang, with the host's value at the start.",
    snippet: 'firstprivate(${1:variable})',
    otherwise: 'scalars in `parallel` and `serial` are so',
  },
  reduction: {
    text: 'Each thread combines into a copy of its own, and the copies are combined at the end.',
    snippet: 'reduction(${1:+}:${2:variable})',
  },
  collapse: {
    text: 'Makes one loop of so many tightly nested ones; with `force:` also where statements stand between them.',
    snippet: 'collapse(${1:2})',
    otherwise: '1',
  },
  gang: {
    text:
      'Spreads the iterations over gangs. `static:` fixes the size of the pieces; `num:` is for kernels, ' +
      '`dim:` one of three dimensions.',
  },
  worker: { text: 'Spreads the iterations over the workers of each gang.' },
  vector: {
    text:
      'Spreads the iterations over vector lanes: neighbouring iterations run side by side, so let them touch ' +
      'neighbouring memory.',
  },
  seq: {
    text:
      'Runs the iterations in order, in each thread that gets here. On `routine`: the function has no ' +
      'parallelism inside.',
  },
  independent: {
    text: 'Promises that no iteration needs what another one writes. Inside `kernels` it takes the place of the proof.',
    otherwise: 'so inside `parallel`, unless `seq` or `auto` stand there',
  },
  auto: {
    text:
      'Leaves it to the compiler whether and how the loop runs in parallel; it has to prove the iterations ' +
      'independent.',
    otherwise: 'so inside `kernels`',
  },
  tile: {
    text:
      'Cuts tightly nested loops into tiles of these sizes, the first for the innermost loop; `*` lets the ' +
      'compiler choose.',
    snippet: 'tile(${1:32}, ${2:8})',
  },
  use_device: { text: 'Inside the block the name stands for the device address.', snippet: 'use_device(${1:array})' },
  if_present: { text: 'Does nothing for data that is not on the device, instead of failing.' },
  finalize: { text: 'Ends the life of the data on the device at once, however many hold it.' },
  host: { text: 'Copies from the device to the host; another name of `self`.', snippet: 'host(${1:array})' },
  device: { text: 'Copies from the host to the device.', snippet: 'device(${1:array})' },
  device_num: { text: 'Which device of its type, counted from 0.', snippet: 'device_num(${1:0})' },
  default_async: { text: 'The queue that `async` without a number uses.', snippet: 'default_async(${1:1})' },
  bind: { text: 'On the device another function is called in its place.', snippet: 'bind(${1:name})' },
  nohost: { text: 'The function is compiled for the device only.' },
  device_resident: {
    text: 'The variable lives on the device, and has no copy on the host that device code would see.',
    snippet: 'device_resident(${1:variable})',
  },
  link: {
    text: 'Only a link to a large global variable is on the device; its data is brought by data clauses.',
    snippet: 'link(${1:variable})',
  },
  read: { text: 'The statement reads the location: `v = x`.' },
  write: { text: 'The statement writes the location: `x = v`.' },
  update: { text: 'The statement reads and writes the location: `x += v`.' },
  capture: { text: 'The statement updates the location and keeps its value from before or after: `v = x++`.' },
  shortloop: {
    text:
      'A promise of PGI and NVIDIA compilers that the loop has no more iterations than the vector has lanes. ' +
      'Not in the standard.',
  },
};

/** Clauses that mean something else on one directive. */
export const clauseMeaningsOn: Readonly<Record<string, Meaning>> = {
  'update self': { text: 'Copies from the device to the host.', snippet: 'self(${1:array})' },
  'routine gang': {
    text: 'The function may have loops over gangs, workers and lanes inside; it is called outside of any of them.',
  },
  'routine worker': {
    text: 'The function may have loops over workers and lanes inside; it is called outside of those.',
  },
  'routine vector': { text: 'The function may have loops over vector lanes inside; it is called outside of those.' },
  'set device_type': { text: 'The type of device that following directives use.', snippet: 'device_type(${1:nvidia})' },
  'init device_type': { text: 'The type of device that is started.', snippet: 'device_type(${1:nvidia})' },
  'shutdown device_type': { text: 'The type of device that is let go.', snippet: 'device_type(${1:nvidia})' },
};

/** Words inside parentheses: `default(none)`, `gang(static: *)`. */
export const wordMeanings: Readonly<Record<string, string>> = {
  none: 'every variable must stand in a data clause',
  present: 'arrays without a clause are on the device already',
  nvidia: 'GPUs of NVIDIA',
  radeon: 'GPUs of AMD',
  host: 'the host, one thread',
  multicore: 'the cores of the host',
  default: 'the device that the compiler builds for',
  '*': 'every other device',
  readonly: 'the device only reads it',
  zero: 'it starts with zeros',
  always: 'copied even where it is there already (3.4)',
  alwaysin: 'copied in even where it is there already (3.4)',
  alwaysout: 'copied out even where others hold it (3.4)',
  capture: "keeps a copy on the device apart from the host's memory (3.4)",
  force: 'also where statements stand between the loops (3.3)',
  num: 'how many',
  dim: 'dimension 1, 2 or 3 of the gangs (3.3)',
  static: 'size of the pieces, dealt out in turn; `*` lets the compiler choose',
  length: 'how many lanes',
  devnum: 'the device whose queues are meant',
  queues: 'the queues',
  '+': 'sum',
  max: 'greatest',
  min: 'smallest',
  '&': 'bitwise and',
  '|': 'bitwise or',
  '^': 'bitwise exclusive or',
  '&&': 'logical and',
  '||': 'logical or',
  iand: 'bitwise and',
  ior: 'bitwise or',
  ieor: 'bitwise exclusive or',
  '.and.': 'logical and',
  '.or.': 'logical or',
  '.eqv.': 'logical equivalence',
  '.neqv.': 'logical difference',
};
