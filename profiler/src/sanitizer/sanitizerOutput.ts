/**
 * Reads what compute-sanitizer prints into records. The program prints in between, so only lines with the tool's prefix
 * count. Hostile or cut text gives fewer records, never an error.
 */

export const sanitizerTools = ['memcheck', 'racecheck', 'synccheck', 'initcheck'] as const;
export type SanitizerTool = (typeof sanitizerTools)[number];

/** Where in the program; what the line table does not say is absent. */
export interface SanitizerPlace {
  readonly file?: string;
  readonly line?: number;
  readonly kernel?: string;
}

export interface SanitizerRecord {
  readonly tool: SanitizerTool;
  /** `access`, `race`, `barrier`, `uninitialized`, `call`, or `other` for what another version reports. */
  readonly kind: string;
  readonly severity: 'error' | 'warning' | 'information';
  readonly sentence: string;
  /** Which thread and which address, of the first occurrence. */
  readonly details: readonly string[];
  /** Each once; first the instruction, then those that it races with or that call it. */
  readonly places: readonly SanitizerPlace[];
  /** Occurrences; hazards of a race. */
  readonly count: number;
}

export interface SanitizerOutput {
  readonly records: readonly SanitizerRecord[];
  /** What the tool says of the run itself. */
  readonly remarks: readonly string[];
  /** Whether the tool printed its summary: without it, more may have happened than the records say. */
  readonly isComplete: boolean;
  /** Errors that the tool, or the limit on records, left out. */
  readonly omitted: number;
}

const kinds: readonly (readonly [kind: string, header: RegExp])[] = [
  ['race', /^Race reported\b/],
  ['access', /^Invalid\b/],
  ['barrier', /^Barrier error\b/],
  ['uninitialized', /^Uninitialized\b/],
  ['call', /^Program hit\b/],
];

/** Distinct records that are kept. */
const mostRecords = 1000;
/** Characters of a line that are read: names of templates are long. */
const longestLine = 1 << 14;
const mostDetails = 4;
const mostPlaces = 32;

interface Draft {
  readonly severity: SanitizerRecord['severity'];
  readonly header: string;
  readonly details: string[];
  readonly places: SanitizerPlace[];
  /** The ends of a race, as words. */
  readonly accesses: string[];
  hazards: number;
}

export interface SanitizerReader {
  feed(text: string): void;
  end(): SanitizerOutput;
}

export function readSanitizerOutput(tool: SanitizerTool): SanitizerReader {
  const records = new Map<string, SanitizerRecord>();
  const remarks = new Set<string>();
  let draft: Draft | undefined;
  let left = '';
  let isComplete = false;
  let omitted = 0;

  const finish = (): void => {
    if (!draft) return;
    const { severity, header, details, places, accesses, hazards } = draft;
    draft = undefined;
    const kind = kinds.find(([, pattern]) => pattern.test(header))?.[0];
    if (kind === undefined && places.length === 0) {
      if (remarks.size < mostRecords) remarks.add([header, ...details].join(' '));
      return;
    }
    const sentence = accesses.length > 0 ? `Race between threads: ${[...new Set(accesses)].join(' and ')}` : header;
    const key = JSON.stringify([severity, sentence, places]);
    const same = records.get(key);
    if (!same && records.size >= mostRecords) {
      omitted++;
      return;
    }
    const count = (same?.count ?? 0) + Math.max(hazards, 1);
    records.set(
      key,
      same ? { ...same, count } : { tool, kind: kind ?? 'other', severity, sentence, details, places, count },
    );
  };

  const begin = (text: string): void => {
    finish();
    const summary = /^(?:(?:ERROR|RACECHECK) SUMMARY: (\d+)|LEAK SUMMARY\b|COMPUTE-SANITIZER$)/.exec(text);
    if (summary) {
      const isOmission = /\bnot printed\b/.test(text);
      if (isOmission) omitted += Number(summary[1]);
      else if (summary[1] !== undefined) isComplete = true;
      return;
    }
    const [, level, rest] = /^(?:(error|warning|warn|info)\s*:\s*)?(.*)$/i.exec(text)!;
    const severity = /^warn/i.test(level ?? '') ? 'warning' : /^info/i.test(level ?? '') ? 'information' : 'error';
    const race = /^Race reported between (\w+) access at (.*)$/.exec(rest!);
    draft = {
      severity,
      header: race ? 'Race reported' : rest!.replace(/[.:\s]+$/, ''),
      details: [],
      places: [],
      accesses: [],
      hazards: 0,
    };
    if (race) addAccess(draft, race[1]!, race[2]!);
  };

  const detail = (text: string): void => {
    if (!draft || /^(?:Host Frame|Saved host backtrace)\b/.test(text)) return;
    const partner = /^and (\w+) access at (.*)$/.exec(text);
    if (partner) {
      draft.hazards += Number(/\[(\d+) hazards?\]/.exec(partner[2]!)?.[1] ?? 1);
      addAccess(draft, partner[1]!, partner[2]!);
      return;
    }
    const place = /^(?:at|Device Frame:)\s*(.*)$/.exec(text)?.[1];
    if (place !== undefined) addPlace(draft, placeOf(place));
    else if (draft.details.length < mostDetails) draft.details.push(text.replace(/[.\s]+$/, ''));
  };

  const line = (text: string): void => {
    const said = /^={8,9}(?: (.*))?$/.exec(text.slice(0, longestLine).trimEnd())?.[1];
    if (said === undefined) {
      if (/^={8,9}$/.test(text.trim())) finish();
    } else if (/^\s/.test(said)) detail(said.trim());
    else if (said !== '') begin(said);
  };

  return {
    feed(text) {
      const lines = (left + text).split('\n');
      left = lines.pop()!.slice(0, longestLine);
      for (const each of lines) line(each);
    },
    end() {
      line(left);
      left = '';
      finish();
      return { records: [...records.values()], remarks: [...remarks], isComplete, omitted };
    },
  };
}

function addAccess(draft: Draft, access: string, text: string): void {
  const place = placeOf(text.replace(/\s*\[\d+ hazards?\]$/, '').trim());
  const at = place?.file === undefined ? '' : ` (${place.file.replace(/^.*[\\/]/, '')}:${place.line})`;
  if (draft.accesses.length < mostPlaces) draft.accesses.push(`${access.toLowerCase()} access${at}`);
  addPlace(draft, place);
}

function addPlace({ places }: Draft, place: SanitizerPlace | undefined): void {
  const key = JSON.stringify(place);
  if (place && places.length < mostPlaces && !places.some((other) => JSON.stringify(other) === key)) places.push(place);
}

/**
 * `kernel(int *)+0x70 in file.cu:12`, before 2023 `0x70 in file.cu:12:kernel(int *)`, and both without the file where
 * the program has no line table.
 */
function placeOf(text: string): SanitizerPlace | undefined {
  const address = /^0x[0-9a-f]+ in /.exec(text);
  if (address) {
    const rest = text.slice(address[0].length);
    const parts = /:(\d+):/.exec(rest);
    if (!parts) return { kernel: rest };
    return {
      file: rest.slice(0, parts.index),
      line: Number(parts[1]),
      kernel: rest.slice(parts.index + parts[0].length),
    };
  }
  const before = /\+0x[0-9a-f]+(?= in |$)/.exec(text);
  if (!before) return undefined;
  const kernel = text.slice(0, before.index);
  const inFile = /^ in (.+):(\d+)$/.exec(text.slice(before.index + before[0].length));
  return inFile ? { file: inFile[1]!, line: Number(inFile[2]), kernel } : { kernel };
}
