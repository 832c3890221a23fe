// Threads that leave a body before its end. Where data decide, `if (in[i] < 0) return;`, it is unknown which lanes of
// a warp go on: they are kept in the mask, and what they come to is marked.
import { emptyMask, meets, union, type Mask } from './lanes';
import { withMask, type Act, type Frame, type LoopState, type Path } from './values';

/** Data decide whether a lane is on this path. */
const mayPart = ({ unsure, byData, again }: Path): boolean => unsure > 0 && byData + again > 0;

const joined = (left: Mask | undefined, right: Mask): Mask => (left ? union(left, right) : right);

/** The path of the threads of `mask` after a statement that some of them may have left. */
export function goingOn(path: Path, mask: Mask, frame: Frame): Path {
  const at = withMask(path, mask);
  if (at.byData) return at;
  const left = [frame.mayReturn, path.breaks?.mayBreak, path.breaks?.mayContinue];
  return left.some((each) => each && meets(mask, each)) ? { ...at, byData: 1 } : at;
}

export function leaveFunction(path: Path, frame: Frame): void {
  if (!path.unsure && !path.shadow) frame.returned = joined(frame.returned, path.mask);
  else if (mayPart(path)) returnPerhaps(path.mask, frame);
}
export function returnPerhaps(mask: Mask, frame: Frame): void {
  frame.mayReturn = joined(frame.mayReturn, mask);
}

export function leaveLoop(kind: 'break' | 'continue'): Act {
  const [sure, perhaps] =
    kind === 'break' ? (['breaks', 'mayBreak'] as const) : (['continues', 'mayContinue'] as const);
  return (path, frame) => {
    const { breaks: state, mask } = path;
    frame.run.recorder.shared.suspend(path, frame, 'loop');
    if (state && !path.unsure && !path.shadow) state[sure] = joined(state[sure], mask);
    else if (state && mayPart(path)) state[perhaps] = joined(state[perhaps], mask);
    return mask.count === 0 ? mask : emptyMask(frame.run.threads);
  };
}

/** `continue` in a switch goes on with the loop around it. */
export function passContinues({ continues, mayContinue }: LoopState, around: LoopState | undefined): void {
  if (!around) return;
  if (continues) around.continues = joined(around.continues, continues);
  if (mayContinue) around.mayContinue = joined(around.mayContinue, mayContinue);
}

/** Where a `goto` leads is not followed: nothing more is known of the lanes that may have taken it. */
export const jump: Act = (path, frame) => {
  const { run } = frame;
  run.recorder.shared.abandon();
  if (mayPart(path)) returnPerhaps(path.mask, frame);
  return emptyMask(run.threads);
};
