// `warplens/kernels`: the kernels that a document defines, with their places, for the client's line over each.
import { kernelsRequest, type KernelsAnswer, type KernelsParameters } from '../../../protocol/src/requests';
import { readingWhileTyping } from './codeLens';
import { guarded, type Session } from './session';

export function serveKernels(session: Session): void {
  const { connection } = session;
  connection.onRequest(
    kernelsRequest,
    guarded(session, kernelsRequest, null as KernelsAnswer | null, async ({ uri }: KernelsParameters, token) => {
      const reading = await readingWhileTyping(session, uri, token);
      if (!reading || 'refused' in reading) return null;
      return {
        version: reading.version,
        kernels: reading.model.facts.kernel
          .filter((kernel) => kernel.global && kernel.at.uri === uri)
          .map(({ name, qualifiedName, parameters, at, nameAt }) => ({
            name,
            qualifiedName,
            parameters,
            range: reading.lines.rangeOf({ start: at.start, end: nameAt.end }),
            body: reading.lines.rangeOf(at),
          })),
      };
    }),
  );
}
