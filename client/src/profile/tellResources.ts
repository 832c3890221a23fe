// Tells the server what the kernels of the shown report take, for the occupancy in their hover.
import type { Disposable } from 'vscode';
import { compilerFeedbackRequest, type CompilerFeedbackParameters } from '../../../protocol/src/compilerFeedback';
import { resourcesOfReport } from '../../../profiler/src/build/kernelResources';
import type { Server } from '../server';
import type { ProfileStore } from './store';

export function tellResources(
  store: ProfileStore,
  server: Pick<Server, 'request' | 'onDidChangeState' | 'log'>,
): Disposable {
  let told = store.active;
  const tell = (): void => {
    const parameters: CompilerFeedbackParameters = {
      source: 'the shown report',
      resources: told ? resourcesOfReport(told.name, told.kernels) : [],
    };
    server.request(compilerFeedbackRequest, parameters).catch((error: unknown) => server.log.warn(String(error)));
  };
  const heard = [
    store.onDidChange(() => {
      if (told === store.active) return;
      told = store.active;
      tell();
    }),
    server.onDidChangeState((state) => {
      if (state === 'running' && told) tell();
    }),
  ];
  return { dispose: () => heard.forEach((each) => void each.dispose()) };
}
