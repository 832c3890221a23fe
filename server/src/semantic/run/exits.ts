// Threads that leave a body before its end. Where data decide, `if (in[i] < 0) return;`, it is unknown which lanes of
// a warp go on: they are kept in the mask, and what they come to is marked.
import type { FunctionDecl, Stmt } from '../../syntax/ast';
import { walk } from '../language';
import { emptyMask, meets, union, type Mask } from './lanes';
import { withMask, type Act, type Condition, type Frame, type LoopState, type Path, type Value } from './values';

type GotoStmt = Stmt & { readonly kind: 'goto' };

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

/** Is the label of a jump further down, in a block around it? */
export function leadsOn({ body }: FunctionDecl, { label, start }: GotoStmt): boolean {
  let found = false;
  if (body)
    walk(body, (node) => {
      if (node.kind !== 'block' || start < node.start || start >= node.end) return;
      found ||= node.body.some((each) => each.kind === 'label' && each.label === label && each.start > start);
    });
  return found;
}

/**
 * The threads of a path go on at the label. Where data decide which do, or the label is further up, nothing more is
 * known of them.
 */
export function jump(stmt: GotoStmt, isOn: boolean): Act {
  return (path, frame) => {
    const { run } = frame;
    const { recorder } = run;
    if (isOn && !path.unsure && !path.shadow) {
      frame.jumps ??= new Map();
      const before = frame.jumps.get(stmt.label);
      const under = before?.under ?? partingCondition(path);
      frame.jumps.set(stmt.label, { mask: joined(before?.mask, path.mask), under });
    } else {
      recorder.shared.abandon();
      recorder.lose(stmt, 'jump', path, frame);
      if (mayPart(path)) returnPerhaps(path.mask, frame);
    }
    return emptyMask(run.threads);
  };
}

/** The innermost condition that may part threads. */
export function partingCondition({ conditions }: Path): Condition | undefined {
  let condition = conditions;
  while (condition && !condition.varies && !condition.hangs) condition = condition.outer;
  return condition;
}

/** The condition by which threads are on their way past what comes next. */
export function jumpedUnder(frame: Frame): Condition | undefined {
  for (let at: Frame | undefined = frame; at; at = at.caller?.frame)
    for (const { under } of at.jumps?.values() ?? []) if (under) return under;
  return undefined;
}

/** Statements one after another, where threads that jumped to a label come in. */
export function withLabels(acts: readonly Act[], labels: readonly (string | undefined)[]): Act {
  return (path, frame) => {
    let at = path;
    acts.forEach((act, number) => {
      const label = labels[number];
      const came = label === undefined ? undefined : frame.jumps?.get(label);
      if (came) {
        frame.jumps!.delete(label!);
        at = withMask(at, union(at.mask, came.mask));
      }
      if (at.mask.count > 0) at = goingOn(at, act(at, frame), frame);
    });
    return at.mask;
  };
}

/** The program ends here, where threads come for sure: the host launches nothing behind it. */
export function endProgram({ unsure, shadow }: Path, { run }: Frame): void {
  if (unsure === 0 && shadow === 0) run.isOver = true;
}

/** The program ends unless a condition holds, and whatever the text leaves open, it does not. */
export function endUnless({ lanes, taint, base }: Value, path: Path, frame: Frame): void {
  if (lanes === 0 && taint === 0 && !base) endProgram(path, frame);
}
