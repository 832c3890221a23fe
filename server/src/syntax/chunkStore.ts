// Keeps the chunks that files were parsed to, so that a header is parsed once for each content: in every unit that
// includes it, and by itself.
import { limitsOfIncludes } from './budget';
import type { LoweredChunk } from './lowering';
import type { Piece } from './pieces';

/** What one chunk gave, relative to the chunk, and the same moved to where the chunk stood last. */
export interface CachedChunk extends Pick<Piece<LoweredChunk>, 'names' | 'words' | 'interface'> {
  /** Parsed when it is asked for the first time. */
  readonly lowered: () => LoweredChunk;
  /** What parsing it took of the budget. */
  readonly cost: number;
  base: number;
  placed: () => LoweredChunk;
}
/** Chunks by their content, in which macros have done their work; each list holds equal chunks in order. */
export type ChunksByContent = ReadonlyMap<string, readonly CachedChunk[]>;

interface Stored {
  readonly length: number;
  /** The latest units' first. */
  readonly variants: readonly ChunksByContent[];
}

/** Units in which a file was read differently that are remembered. */
const mostVariants = 4;
/**
 * Text of files, in UTF-16 units, whose chunks are kept: all that one unit may include. Of less the unit itself would
 * drop the first header before the next unit asks for it.
 */
const mostText = limitsOfIncludes.text;

/**
 * A chunk's content is its text and whatever macros and conditions made of it. So two units that define other macros
 * share all chunks of a header but those that these macros reach: nothing has to say which macros a header reads.
 */
export function createChunkStore() {
  const stored = new Map<string, Stored>();
  let held = 0;

  function forget(uri: string): void {
    held -= stored.get(uri)?.length ?? 0;
    stored.delete(uri);
  }

  return {
    /** Takes what a version of a file came to, in one unit. */
    keep(uri: string, text: string, chunks: ChunksByContent): void {
      const before = stored.get(uri)?.variants ?? [];
      forget(uri);
      stored.set(uri, { length: text.length, variants: [chunks, ...before].slice(0, mostVariants) });
      held += text.length;
      for (const oldest of stored.keys()) {
        if (held <= mostText || oldest === uri) break;
        forget(oldest);
      }
    },
    /** Chunks that may serve again, copied: where they stand is the new holder's business. */
    chunksOf(uri: string): Map<string, CachedChunk[]> {
      const found = new Map<string, CachedChunk[]>();
      for (const variant of stored.get(uri)?.variants ?? [])
        for (const [content, chunks] of variant)
          if ((found.get(content)?.length ?? 0) < chunks.length)
            found.set(
              content,
              chunks.map((each) => ({ ...each })),
            );
      return found;
    },
    forget,
  };
}
