// Holds what compilers said of the workspace's files: logs by where they came from, and the text that each file had
// when they came.
import type { CompilerRemark } from '../semantic';
import { type CompilerLog, type FeedbackFile, carryOver, readCompilerLog, remarksFor } from '../semantic/acc';

/** Longer logs are cut: in a build of everything, the beginning is as useful as the end. */
export const longestLog = 32 * 1024 * 1024;

interface Held {
  readonly log: CompilerLog;
  /** By path: the text as compiled, and the remarks about it. */
  readonly files: Map<string, { readonly text: string; readonly remarks: readonly CompilerRemark[] }>;
}

export function createCompilerFeedback() {
  const sources = new Map<string, Held>();
  return {
    /**
     * Takes the log of a source (a file's address, a task's name) in place of the one before it; undefined lets go of
     * it. Returns how many remarks it holds.
     */
    take(source: string, text: string | undefined): number {
      // The latest log comes last and replaces earlier ones.
      sources.delete(source);
      if (text === undefined) return 0;
      const log = readCompilerLog(text.length > longestLog ? text.slice(0, longestLog) : text);
      if (log.remarks.length > 0) sources.set(source, { log, files: new Map() });
      return log.remarks.length;
    },
    /**
     * The remarks about a file as it is now, by line. A log speaks of the text that the file had when it was first
     * asked for after the log came: its remarks move with their lines, and those on lines that changed are left out.
     */
    of(file: FeedbackFile): readonly CompilerRemark[] {
      const found: CompilerRemark[] = [];
      const said = new Set<string>();
      for (const { log, files } of sources.values()) {
        let known = files.get(file.path);
        if (!known) {
          known = { text: file.text, remarks: remarksFor(log, file) };
          files.set(file.path, known);
        }
        for (const remark of carryOver(known.remarks, known.text, file.text)) {
          const key = `${remark.compiler} ${remark.line} ${remark.text}`;
          if (said.has(key)) continue;
          said.add(key);
          found.push(remark);
        }
      }
      return found.sort((a, b) => a.line - b.line);
    },
  };
}
