// `warplens/findings`: what the rules found in a document, with the edits of each fix, for the client's evidence and measurements.
import { findingsRequest, type FindingsAnswer, type FindingsParameters, type FoundFinding, type FoundFix } from '../../../protocol/src/requests';
import type { ResolvedFinding } from '../lint/finding';
import { registry } from '../rules/registry';
import type { Fix } from '../rules/rule';
import type { Reading } from './readings';
import { guarded, type Session } from './session';

export function serveFindings(session: Session): void {
  const { connection, readings } = session;
  connection.onRequest(findingsRequest, guarded(session, findingsRequest, null as FindingsAnswer | null, ({ uri }: FindingsParameters) => {
    const reading = readings.now(uri);
    return reading ? { version: reading.version, findings: reading.result.findings.map((finding) => found(finding, reading)) } : null;
  }));
}

function found(finding: ResolvedFinding, reading: Reading): FoundFinding {
  const { rule, message, text, severity, confidence, data } = finding;
  const evidence = registry.find(({ meta }) => meta.id === rule)?.meta.evidence;
  return {
    rule, message, text, severity, confidence, data, ...(evidence ? { evidence } : {}),
    range: { start: reading.lines.positionAt(finding.at.start), end: reading.lines.positionAt(finding.at.end) },
    fixes: finding.fixes.flatMap((fix) => fixOf(fix, reading)),
  };
}

/** A fix that touches a file the server cannot place is not told of. */
function fixOf({ title, applicability, edits }: Fix, reading: Reading): FoundFix[] {
  const placed: { uri: string; range: FoundFinding['range']; newText: string }[] = [];
  for (const { at, newText } of edits) {
    const range = reading.rangeOf(at);
    if (!range) return [];
    placed.push({ uri: at.uri, range, newText });
  }
  return [{ title, applicability, edits: placed }];
}
