// Kinds of facts of what kernels did when they were run.
import { accessFacts, accessFixes, barrierFacts, branchFacts, raceFixes } from '../kernels';
import type { MisalignedFact, RaceFact, UnreadFact } from '../model';
import { raceFacts, wrongFacts } from '../races';
import { unreadFacts } from '../unread';
import type { RunKind } from './kinds';
import { mergeAccesses, mergeBarriers, mergeBranches, mergeRaces, mergeWrong } from './merge';

declare module '../model' {
  interface Facts {
    access: AccessFact;
    race: RaceFact & Fixable;
    misaligned: MisalignedFact;
    unread: UnreadFact;
    branch: BranchFact;
    barrier: BarrierFact;
  }
}

export const access: RunKind<'access'> = {
  kind: 'access',
  from: 'run',
  find: (run, { locate, uri, program }) => accessFacts(run, locate, uri, program),
  complete: (run, facts, _, fixes) => accessFixes(run, facts, fixes),
  merge: mergeAccesses,
};
export const race: RunKind<'race'> = {
  kind: 'race',
  from: 'run',
  find: (run, { locate, uri }) => raceFacts(run.races, run, locate, uri),
  complete: (run, facts, _, fixes) => raceFixes(run, facts, fixes),
  merge: mergeRaces,
};
export const misaligned: RunKind<'misaligned'> = {
  kind: 'misaligned',
  from: 'run',
  find: (run, { locate, uri }) => wrongFacts(run, locate, uri).filter((fact) => fact.kind === 'misaligned'),
  merge: mergeWrong,
};
export const unread: RunKind<'unread'> = {
  kind: 'unread',
  from: 'run',
  find: (run, { locate, uri }) => unreadFacts(run, locate, uri),
};
export const branch: RunKind<'branch'> = {
  kind: 'branch',
  from: 'run',
  complete: (run, _, { locate, uri }, fixes) => branchFacts(run, locate, fixes, uri),
  merge: mergeBranches,
};
export const barrier: RunKind<'barrier'> = {
  kind: 'barrier',
  from: 'run',
  complete: (run, _, { locate, program }, fixes) => barrierFacts(run, locate, program, fixes),
  merge: mergeBarriers,
};
