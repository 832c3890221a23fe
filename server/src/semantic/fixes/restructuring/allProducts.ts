// Products of matrices, of one thread's or of a block's loops.
import type { Fn } from '../../language';
import type { ProductFact } from '../../model';
import { findBlockProducts } from './blockProducts';
import { findThreadProducts } from './products';
import { findRanProducts } from './ranProducts';

export function* findProducts(fn: Fn): Iterable<ProductFact> {
  const found = [...findThreadProducts(fn), ...findBlockProducts(fn)];
  yield* found.length > 0 ? found : findRanProducts(fn);
}
