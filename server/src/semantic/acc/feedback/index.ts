// What compilers said of a build's OpenACC loops: the logs of nvc, GCC and flang as remarks, each on its file and line.
import { readOptInfo, readOptRecord } from './gcc';
import type { CompilerLog } from './log';
import { readMinfo } from './nvhpc';

export type { CompilerLog, LoggedRemark } from './log';
export { carryOver, remarksFor, type FeedbackFile } from './placement';

/**
 * Reads a build log of any of the compilers, also of several at once, or an unpacked optimisation record of GCC. Never
 * throws; a text without remarks gives none.
 */
export function readCompilerLog(text: string): CompilerLog {
  const record = readOptRecord(text);
  if (record) return record;
  const [minfo, gcc] = [readMinfo(text), readOptInfo(text)];
  return { remarks: [...minfo.remarks, ...gcc.remarks], sources: [...new Set([...minfo.sources, ...gcc.sources])] };
}
