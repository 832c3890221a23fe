// Memory that an analysis thread shares with the loop: what it is at work on, and a count that stands still while it is
// busy.

/** Bytes for a name; longer ones are cut, and then match nothing. */
const room = 8192;
const headWords = 5;

export interface WorkBoard {
  readonly memory: SharedArrayBuffer;
  /** The open document that is being read, or ''. */
  setDocument(uri: string): void;
  document(): string;
  /** The file that was read last, or '' where it has been free since. */
  setFile(path: string): void;
  file(): string;
  /** Called by the thread whenever it is free. */
  beat(): void;
  beats(): number;
  /** Makes a call of the file system. */
  inDiskCall<T>(call: () => T): T;
  /** Differs from call to call; 0 outside of them. */
  diskCall(): number;
  /** What the operating system calls the thread; 0 where it is not known. */
  setThread(number: number): void;
  thread(): number;
}

/** Of memory that another thread made, or new memory. */
export function workBoard(memory = new SharedArrayBuffer(headWords * 4 + 2 * room)): WorkBoard {
  const head = new Int32Array(memory, 0, headWords);
  const areas = [0, 1].map((each) => new Uint8Array(memory, headWords * 4 + each * room, room));
  const write = (slot: 0 | 1, text: string): void => {
    const bytes = Buffer.from(text.slice(0, room));
    const length = Math.min(bytes.length, room);
    Atomics.store(head, slot, 0);
    areas[slot]!.set(bytes.subarray(0, length));
    Atomics.store(head, slot, length);
  };
  const read = (slot: 0 | 1): string => Buffer.from(areas[slot]!.slice(0, Atomics.load(head, slot))).toString('utf8');
  let calls = 0;
  return {
    memory,
    setDocument: (uri) => write(0, uri),
    document: () => read(0),
    setFile: (path) => write(1, path),
    file: () => read(1),
    beat: () => void Atomics.add(head, 2, 1),
    beats: () => Atomics.load(head, 2),
    inDiskCall(call) {
      const number = (calls = (calls % 0x7fffffff) + 1);
      Atomics.store(head, 3, number);
      try {
        return call();
      } finally {
        Atomics.store(head, 3, 0);
      }
    },
    diskCall: () => Atomics.load(head, 3),
    setThread: (number) => void Atomics.store(head, 4, number),
    thread: () => Atomics.load(head, 4),
  };
}
