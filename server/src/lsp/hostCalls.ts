// `warplens/hostCalls`: where a document calls the CUDA API and launches kernels, for the client's timelines.
import {
  hostCallsRequest,
  type HostCallPlace,
  type HostCallsAnswer,
  type HostCallsParameters,
} from '../../../protocol/src/hostCalls';
import type { Reading } from './readings';
import { guarded, type Session } from './session';

export function serveHostCalls(session: Session): void {
  const { connection, readings } = session;
  connection.onRequest(
    hostCallsRequest,
    guarded(session, hostCallsRequest, null as HostCallsAnswer | null, async ({ uri }: HostCallsParameters) => {
      await readings.glimpsed(uri);
      const reading = readings.now(uri);
      return reading ? { version: reading.version, calls: hostCallsOf(reading) } : null;
    }),
  );
}

/** Calls within macros of other files are left out. */
export function hostCallsOf({ model, lines }: Pick<Reading, 'model' | 'lines'>): HostCallPlace[] {
  const { rangeOf } = lines;
  const calls = model.facts['runtime-call']
    .filter(({ through }) => through === undefined)
    .map(({ name, at, function: around }) => ({ at, place: { name, range: rangeOf(at), function: around } }));
  const launches = model.facts.launch.map(({ at, kernelName }) => ({
    at,
    place: {
      name: 'cudaLaunchKernel',
      kernel: kernelName.replace(/<.*/s, '').split('::').pop()!.trim(),
      range: rangeOf(at),
    },
  }));
  return [...calls, ...launches]
    .filter(({ at }) => at.uri === model.uri)
    .sort((a, b) => a.at.start - b.at.start)
    .map(({ place }) => place);
}
