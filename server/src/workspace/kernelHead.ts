// How a kernel and its shapes are introduced in texts of the model.
import type { KernelFact } from '../semantic/model';

/** A kernel with the blocks of its launches. */
export function kernelHead(
  { global, qualifiedName, shapes }: Pick<KernelFact, 'global' | 'qualifiedName'> & { shapes: readonly Shape[] },
  blockText: (shape: Shape) => string,
): string {
  const texts = shapes.map((shape) => {
    const { assumed, templateArgs } = shape;
    const template = templateArgs.length > 0 ? ` <${templateArgs.join(', ')}>` : '';
    return `${blockText(shape)}${assumed ? ' assumed' : ''}${template}`;
  });
  // Launches that differ in their arguments alone have one shape.
  const blocks = texts.length > 0 ? `, block ${[...new Set(texts)].join(' or ')}` : '';
  return `${global ? 'kernel' : 'device function'} ${qualifiedName}${blocks}`;
}

type Shape = Pick<KernelFact['shapes'][number], 'block' | 'assumed' | 'templateArgs'>;
