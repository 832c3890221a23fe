// Which branches of a Makefile's conditions are built by default.

/** The branches of `ifeq` around a line, and whether they are those of the variables' own values. */
export class Branches {
  /** By depth: is this branch taken, and was one before it; undefined where a value is not known. */
  private readonly open: { taken: boolean | undefined; before: boolean | undefined }[] = [];

  get depth(): number {
    return this.open.length;
  }

  get chosen(): boolean {
    return this.open.every(({ taken }) => taken === true);
  }

  /** May these branches be taken? A condition that is not understood may hold. */
  get possible(): boolean {
    return this.open.every(({ taken }) => taken !== false);
  }

  /** Was the line a condition, or the end of one? */
  reads(line: string, valueFor: (name: string) => string | undefined): boolean {
    const condition = /^\s*(else\s+)?(ifeq|ifneq|ifdef|ifndef)\b(.*)$/.exec(line);
    const holds = condition ? holdsIn(condition[2]!, condition[3]!, valueFor) : true;
    if (condition && !condition[1]) this.open.push({ taken: holds, before: holds });
    else if (condition || /^\s*else\b/.test(line)) {
      const last = this.open.at(-1);
      if (last) {
        last.taken = last.before === undefined ? undefined : !last.before && holds;
        last.before = last.before === true || (last.before === undefined || holds === undefined ? undefined : holds);
      }
    } else if (/^\s*endif\b/.test(line)) this.open.pop();
    else return false;
    return true;
  }
}

/** `($(COMPILER),NVHPC)`: known where the variable is set above, to words alone. */
function holdsIn(word: string, rest: string, valueFor: (name: string) => string | undefined): boolean | undefined {
  const parts = /^\s*\(\s*\$[({](\w+)[)}]\s*,\s*([^$()]*?)\s*\)\s*(?:#.*)?$/.exec(rest);
  const value = parts ? valueFor(parts[1]!) : undefined;
  if (!parts || value === undefined || value.includes('$') || !/^if(n?)eq$/.test(word)) return undefined;
  return (value.replace(/\s#.*$/, '').trim() === parts[2]) === (word === 'ifeq');
}
