// Products of matrices, of one thread's or of a block's loops.
import type { Fn } from '../../language';
import type { ProductFact } from '../../model';
import { findBlockProducts } from './blockProducts';
import { findThreadProducts } from './products';

export function* findProducts(fn: Fn): Iterable<ProductFact> {
  yield* findThreadProducts(fn);
  yield* findBlockProducts(fn);
}
