// What a long command tells on the error stream: lines that stay, and one that is drawn over while it lasts.
import type { HostFacts } from '../../profiler/src/preflight/probe';

export interface StatusLine {
  /** A line that stays. */
  line(text: string): void;
  /** What goes on now; only where somebody looks on. */
  draw(text: string): void;
}

/** `interactive`: progress may be drawn over itself. */
export function statusLine(io: { readonly interactive: boolean; stderr(text: string): void }): StatusLine {
  let drawn = false;
  return {
    line(text) {
      io.stderr(`${drawn ? '\r\u001b[K' : ''}${text}\n`);
      drawn = false;
    },
    draw(text) {
      if (!io.interactive) return;
      io.stderr(`\r\u001b[K${text}`);
      drawn = true;
    },
  };
}

/** Whether the numbers come from a recording in place of a GPU. */
export function isReplay({ ncu }: HostFacts): boolean {
  return ncu?.title?.includes('(replay)') === true;
}

/** `NVIDIA H200, nvcc 13.0.88, ncu 2025.3.1`: what a host works with. */
export function toolsLine(facts: HostFacts): string {
  return (
    `${facts.gpus?.[0]?.name ?? 'no GPU'}, nvcc ${facts.nvcc?.version ?? '-'}, ncu${isReplay(facts) ? ' (replay)' : ''} ` +
    `${facts.ncu?.version ?? '-'}`
  );
}
