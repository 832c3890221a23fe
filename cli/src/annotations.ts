// Findings as annotations of GitHub Actions, and as JUnit's XML, which most servers of pipelines show.
import type { ResolvedFinding } from '../../server/src/lint/finding';
import type { Severity } from '../../server/src/rules/rule';
import type { placeFinder } from './analysis';
import { type CheckedFile, headsOf } from './checkedFile';
import { displayPath } from './source';

const commands: Readonly<Record<Severity, 'error' | 'warning' | 'notice'>> = {
  error: 'error',
  warning: 'warning',
  information: 'notice',
  hint: 'notice',
};

/** `::warning file=…,line=…::text`: commands that a workflow's log turns into annotations of the lines. */
export function annotationsOf(files: readonly CheckedFile[], placeOf: ReturnType<typeof placeFinder>): string {
  const line = (file: CheckedFile, finding: ResolvedFinding): string => {
    const place = placeOf(finding.at);
    const properties = {
      title: finding.rule,
      file: displayPath(file.path),
      line: place?.line ?? 1,
      endLine: place?.endLine ?? 1,
      // A column is that of one line alone.
      ...(place && place.line === place.endLine ? { col: place.column, endColumn: place.endColumn } : {}),
    };
    const words = Object.entries(properties).map(([key, value]) => `${key}=${escaped(String(value), /[%\r\n:,]/g)}`);
    return `::${commands[finding.severity]} ${words.join(',')}::${escaped(finding.text, /[%\r\n]/g)}`;
  };
  return files.flatMap((file) => headsOf(file).map((finding) => line(file, finding))).join('\n');
}

/** The workflow command's escapes: those of a URL. */
function escaped(text: string, special: RegExp): string {
  return text.replace(special, encodeURIComponent);
}

/** A suite for each file that was checked, a failed case for each finding; without any, a case that passes. */
export function junitOf(
  files: readonly CheckedFile[],
  checked: readonly string[],
  placeOf: ReturnType<typeof placeFinder>,
): string {
  const byPath = new Map(files.map((file) => [file.path, headsOf(file)]));
  const suites = checked.map((path) => {
    const findings = byPath.get(path) ?? [];
    const name = xml(displayPath(path));
    const cases = findings.map((finding) => {
      const { line, column } = placeOf(finding.at) ?? { line: 1, column: 1 };
      const text = xml(finding.text);
      return (
        `    <testcase classname="${name}" name="${xml(finding.rule)}" file="${name}" line="${line}">\n` +
        `      <failure type="${finding.severity}" message="${text}">${name}:${line}:${column}: ${text}</failure>\n` +
        '    </testcase>'
      );
    });
    const passed = `    <testcase classname="${name}" name="warplens" file="${name}"/>`;
    return (
      `  <testsuite name="${name}" tests="${Math.max(1, cases.length)}" failures="${cases.length}" errors="0">\n` +
      `${(cases.length > 0 ? cases : [passed]).join('\n')}\n  </testsuite>`
    );
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="warplens">\n${suites.join('\n')}\n</testsuites>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text of an element or an attribute; control characters, for which XML has no form, do not leave the program. */
function xml(text: string): string {
  return text.replace(/[&<>"]/g, (each) => entities[each]!);
}
