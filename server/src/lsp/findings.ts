// `warplens/findings`: what the rules found in a document, with the edits of each fix, for evidence and measurements.
import { compilationRequest, type Compilation, type CompilationParameters } from '../../../protocol/src/compilation';
import {
  findingsRequest,
  type FindingsAnswer,
  type FindingsParameters,
  type FoundFinding,
  type FoundFix,
  type FoundFunction,
} from '../../../protocol/src/requests';
import type { ResolvedFinding } from '../lint/finding';
import { predictedTimes } from '../cost/predictedTime';
import { registry } from '../rules/registry';
import type { Fix } from '../rules/rule';
import { verdictOf } from '../verdict/verdict';
import type { KernelFact } from '../semantic/model';
import type { Reading } from './readings';
import { contentModified, guarded, type Session } from './session';
import { triesOf, tryAll } from './tries';

export function serveFindings(session: Session): void {
  const { connection, readings, folders } = session;
  connection.onRequest(
    compilationRequest,
    guarded(session, compilationRequest, null as Compilation | null, ({ uri }: CompilationParameters) =>
      readings.now(uri) ? folders.of(uri).workspace.compilationOf(uri) : null,
    ),
  );
  connection.onRequest(
    findingsRequest,
    guarded(
      session,
      findingsRequest,
      null as FindingsAnswer | null,
      async ({ uri, times, tries }: FindingsParameters, token) => {
        const reading = await readings.settled(uri, token);
        if (!reading || 'refused' in reading) return null;
        const { findings } = reading.result;
        const trials = tries ? triesOf(reading, readings).trials : undefined;
        // A mark leads to the finding whose fixes it has.
        const tried = tries ? findings.filter(({ markOf }) => !markOf) : [];
        if (!(await tryAll(tried, reading, session, token))) throw contentModified();
        const predicted = times ? predictedTimes(reading.model, reading.gpu, findings) : [];
        return {
          version: reading.version,
          findings: findings.map((finding, at) => ({
            ...found(finding, reading),
            verdict: verdictOf(finding, reading.text, finding.markOf ? undefined : trials).verdict,
            ...(predicted[at]
              ? { predicted: { ...predicted[at], computeCapability: reading.gpu.computeCapability.toFixed(1) } }
              : {}),
          })),
        };
      },
    ),
  );
}

/** A finding as the client hears of it. */
export function found(finding: ResolvedFinding, reading: Pick<Reading, 'lines' | 'model' | 'rangeOf'>): FoundFinding {
  const { rule, message, text, severity, confidence, data } = finding;
  const { evidence, timeline } = registry.find(({ meta }) => meta.id === rule)?.meta ?? {};
  const speaks =
    evidence && (evidence.messages === undefined || (evidence.messages as readonly string[]).includes(message));
  const { rangeOf } = reading.lines;
  const around = reading.model.facts.kernel.find(
    ({ at }) => at.uri === finding.at.uri && at.start <= finding.at.start && finding.at.end <= at.end,
  );
  const functionOf = ({ name, global, at, qualifiedName, parameters }: KernelFact): FoundFunction => ({
    name,
    kernel: global,
    range: rangeOf(at),
    qualifiedName,
    parameters,
  });
  // The known facts of a launch: the definition that it names, if that is in this document.
  const launched = reading.model.facts.launch.find(
    ({ at, kernelAt }) => kernelAt?.uri === finding.at.uri && at.start <= finding.at.start && finding.at.end <= at.end,
  )?.kernelAt;
  const measured =
    evidence?.of === 'kernel' && launched
      ? reading.model.facts.kernel.find(({ at, nameAt }) => at.uri === launched.uri && nameAt.start === launched.start)
      : undefined;
  return {
    rule,
    message,
    text,
    severity,
    confidence,
    data,
    ...(finding.share === undefined ? {} : { share: finding.share }),
    ...(finding.cost === undefined ? {} : { cost: finding.cost }),
    ...(finding.bySetting ? { bySetting: true } : {}),
    ...(finding.markOf ? { mark: true } : {}),
    range: rangeOf(finding.at),
    ...(speaks ? { evidence } : {}),
    ...(timeline ? { timeline } : {}),
    ...(finding.measuredAt
      ? { measuredAt: finding.measuredAt.filter(({ uri }) => uri === finding.at.uri).map(rangeOf) }
      : {}),
    ...(finding.atStake ? { atStake: finding.atStake.filter(({ uri }) => uri === finding.at.uri).map(rangeOf) } : {}),
    ...(around ? { function: functionOf(around) } : {}),
    ...(measured ? { measuredKernel: functionOf(measured) } : {}),
    fixes: finding.fixes.flatMap((fix) => fixOf(fix, reading)),
  };
}

/** A fix that touches a file the server cannot place is not offered. */
function fixOf({ title, applicability, edits }: Fix, reading: Pick<Reading, 'rangeOf'>): FoundFix[] {
  const placed: { uri: string; range: FoundFinding['range']; newText: string }[] = [];
  for (const { at, newText } of edits) {
    const range = reading.rangeOf(at);
    if (!range) return [];
    placed.push({ uri: at.uri, range, newText });
  }
  return [{ title, applicability, edits: placed }];
}
