// `warplens/parameters`: the numbers in a line that a sweep can try, with the ranges of their literals.
import {
  parametersRequest,
  type FoundParameter,
  type ParametersAnswer,
  type ParametersParameters,
} from '../../../protocol/src/requests';
import { parametersOn } from '../semantic/parameters';
import { guarded, type Session } from './session';

export function serveParameters(session: Session): void {
  const { connection, readings } = session;
  connection.onRequest(
    parametersRequest,
    guarded(
      session,
      parametersRequest,
      null as ParametersAnswer | null,
      async ({ uri, position }: ParametersParameters) => {
        await readings.glimpsed(uri);
        const reading = readings.now(uri);
        if (!reading) return null;
        const start = reading.lines.offsetAt({ line: position.line, character: 0 });
        const end = reading.lines.offsetAt({ line: position.line + 1, character: 0 });
        const parameters = parametersOn(reading.model, reading.text, { uri, start, end }).flatMap(
          ({ at, ...rest }): FoundParameter[] => {
            const range = reading.rangeOf(at);
            return range ? [{ ...rest, uri: at.uri, range }] : [];
          },
        );
        return { version: reading.version, parameters };
      },
    ),
  );
}
