// What the report page shows, as data, and the page that draws it: no library, no network, every text set as text.
import { duration, excessesOf, firstReason, marksOf, percent, reasonsOf, threadsOf } from './heat';
import type { ProfiledKernel } from './kernels';
import { stallReasonNamed } from './stallReasons';

export interface PageModel {
  readonly title: string;
  readonly subtitle: string;
  readonly remarks: readonly string[];
  readonly kernels: readonly PageKernel[];
}

export interface PageKernel {
  readonly name: string;
  readonly shortName: string;
  readonly launches: number;
  readonly shape: string;
  readonly duration: string;
  /** Of the longest kernel's time, 0 to 1. */
  readonly bar: number;
  readonly ofAll: string;
  readonly sm: string;
  readonly memory: string;
  readonly occupancy: string;
  readonly reason: string;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly reasons: readonly { readonly name: string; readonly share: string; readonly bar: number; readonly ready: boolean; readonly meaning: string }[];
  readonly lines: readonly { readonly file: string; readonly line: number; readonly label: string; readonly source: string; readonly share: string; readonly bar: number; readonly words: string; readonly flagged: boolean; readonly threads: string }[];
  readonly advice: readonly { readonly title: string; readonly text: string; readonly gain: string }[];
  readonly without?: string;
}

const mostLines = 30;

/** The page of a report. `sourceOf` gives the profiled text of a line where it is known. */
export function pageModel(report: { readonly name: string; readonly device?: { readonly name: string; readonly computeCapability?: string }; readonly kernels: readonly ProfiledKernel[] }, remarks: readonly string[], sourceOf: (file: string, line: number) => string): PageModel {
  const all = report.kernels.reduce((sum, { durationNs }) => sum + durationNs, 0);
  const longest = report.kernels.reduce((most, { durationNs }) => Math.max(most, durationNs), 0);
  const { device } = report;
  const launches = report.kernels.reduce((sum, kernel) => sum + kernel.launches, 0);
  const subtitle = [
    device && `${device.name}${device.computeCapability ? `, compute capability ${device.computeCapability}` : ''}`,
    `${report.kernels.length} ${report.kernels.length === 1 ? 'kernel' : 'kernels'}${launches > report.kernels.length ? `, ${launches} launches` : ''}`,
    all > 0 && duration(all),
  ].filter(Boolean).join(' · ');
  return { title: report.name, subtitle, remarks, kernels: report.kernels.map((kernel) => pageKernel(kernel, all, longest, sourceOf)).sort((a, b) => b.bar - a.bar) };
}

function pageKernel(kernel: ProfiledKernel, all: number, longest: number, sourceOf: (file: string, line: number) => string): PageKernel {
  const { values, grid, block, kind } = kernel.longest;
  const rate = (name: string): string => (values[name] === undefined ? '–' : `${values[name]!.toFixed(0)}%`);
  const reasons = reasonsOf(kernel.totals).filter(({ share }) => share >= 0.005).slice(0, 8);
  const mostSamples = reasons[0]?.share ?? 1;
  const count = (name: string, value: number | undefined, unit = ''): { name: string; value: string }[] => (value === undefined ? [] : [{ name, value: `${value.toLocaleString('en')}${unit}` }]);
  const shared = values['launch__shared_mem_per_block_static'] === undefined ? undefined : values['launch__shared_mem_per_block_static'] + (values['launch__shared_mem_per_block_dynamic'] ?? 0);
  const waves = values['launch__waves_per_multiprocessor'];
  return {
    name: kernel.name,
    shortName: kernel.shortName,
    launches: kernel.launches,
    shape: kind === 'kernel' ? `${shape(grid)} blocks of ${shape(block)}` : kind,
    duration: kernel.durationNs > 0 ? duration(kernel.durationNs) : '–',
    bar: longest > 0 ? kernel.durationNs / longest : 0,
    ofAll: all > 0 ? percent(kernel.durationNs / all) : '–',
    sm: rate('sm__throughput.avg.pct_of_peak_sustained_elapsed'),
    memory: rate('gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed'),
    occupancy: rate('sm__warps_active.avg.pct_of_peak_sustained_active'),
    reason: firstReason(kernel.totals) ?? '–',
    facts: [...count('Registers per thread', values['launch__registers_per_thread']), ...count('Shared memory per block', shared, ' B'), ...count('Waves per multiprocessor', waves === undefined ? undefined : Math.round(waves * 100) / 100)],
    reasons: reasons.map(({ name, share }) => {
      const { title, meaning, ready } = stallReasonNamed(name);
      return { name: title, share: percent(share), bar: share / mostSamples, ready: ready ?? false, meaning };
    }),
    lines: marksOf(kernel, 'samples').slice(0, mostLines).map(({ line, heat, figure, words }) => {
      const threads = threadsOf(line.values);
      return { file: line.file, line: line.line, label: `${line.file.split(/[\\/]/).pop()}:${line.line}`, source: sourceOf(line.file, line.line).trim(), share: figure, bar: heat, words, flagged: excessesOf(kernel, line).length > 0, threads: threads === undefined ? '–' : threads.toFixed(0) };
    }),
    advice: kernel.advice
      .flatMap(({ name, messages, speedup }) => messages
        .filter(({ severity }) => severity !== 'ok' && severity !== 'none')
        .map(({ title, text }, index) => ({ title: title || name, text: plainText(text), // A gain of the whole kernel says more than one of a part of it.
          percent: index === 0 ? (speedup?.percent ?? 0) + (speedup?.kind === 'global' ? 1000 : 0) : 0, gain: index === 0 && speedup ? `${speedup.percent.toFixed(0)}% ${speedup.kind === 'global' ? 'of the kernel' : 'locally'}` : '' })))
      .sort((a, b) => b.percent - a.percent)
      .map(({ title, text, gain }) => ({ title, text, gain })),
    ...(marksOf(kernel, 'samples').length === 0 && { without: kernel.longest.withoutLines ?? 'no samples' }),
  };
}

function shape([x, y, z]: readonly [number, number, number]): string {
  return z > 1 ? `${x}×${y}×${z}` : y > 1 ? `${x}×${y}` : String(x);
}

/** Text of a rule of Nsight Compute without its marks for links: `@section:Name:Text@`, `@url:Text:address@`. */
export function plainText(text: string): string {
  return text.replace(/@(section|source|sass):[^:@]*:([^@]*)@/g, '$2').replace(/@url:([^:@]*):[^@]*@/g, '$1').replace(/@(metric|table):([^:@]*)(:[^@]*)?@/g, '$2');
}

/** The page around the data, which comes by message. Scripts and styles come only from the page itself. */
export function pageHtml(nonce: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'">
<title>Nsight Compute report</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main id="page"><p>Reading the report…</p></main>
<script nonce="${nonce}">${script}</script>
</body>
</html>`;
}

const style = `
body { color: var(--vscode-foreground); background: var(--vscode-editor-background); font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); padding: 8px 24px 32px; line-height: 1.45; }
h1 { font-size: 1.4em; display: inline; margin-right: 12px; } h2 { font-size: 1em; margin: 0 0 8px; }
section { border-top: 1px solid var(--vscode-contrastBorder, var(--vscode-editorWidget-border)); margin-top: 16px; padding-top: 12px; min-width: 0; }
.quiet, .ready { color: var(--vscode-descriptionForeground); } h2 .quiet { font-weight: normal; margin-left: 8px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: normal; color: var(--vscode-descriptionForeground); }
th, td { padding: 3px 10px 3px 6px; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.code { font-family: var(--vscode-editor-font-family); max-width: 520px; overflow: hidden; text-overflow: ellipsis; }
td.name { max-width: 360px; overflow: hidden; text-overflow: ellipsis; }
tbody tr.kernel { cursor: pointer; }
tbody tr.kernel:hover { background: var(--vscode-list-hoverBackground); }
tbody tr.kernel[aria-selected=true] { background: var(--vscode-list-inactiveSelectionBackground); outline: 1px solid var(--vscode-contrastActiveBorder, transparent); }
:focus-visible { outline: 1px solid var(--vscode-focusBorder) !important; outline-offset: -1px; }
button.link { background: none; border: 0; padding: 0; font: inherit; color: var(--vscode-textLink-foreground); cursor: pointer; }
button.link:hover { text-decoration: underline; }
.flagged { color: var(--vscode-warplens-aboveIdeal); }
.columns { display: grid; grid-template-columns: 1fr 2fr; gap: 0 32px; }
@media (max-width: 800px) { .columns { grid-template-columns: 1fr; } }
svg.bar { display: block; } td { vertical-align: middle; } svg .track { fill: var(--vscode-foreground); fill-opacity: .09; } svg .fill { fill: var(--vscode-warplens-heat); } svg .ready { fill: var(--vscode-descriptionForeground); fill-opacity: .6; }
.advice { max-width: 1000px; margin: 0 0 10px; } .gain { float: right; margin-left: 16px; }
.remark { margin: 6px 0 0; }
`;

const script = `
const host = acquireVsCodeApi();
const page = document.getElementById('page');
let model, selected = 0;
function element(tag, options, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(options || {})) name === 'text' ? made.textContent = value : made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}
function bar(part, width, ready) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const set = (node, values) => { for (const [name, value] of Object.entries(values)) node.setAttribute(name, value); return node; };
  set(svg, { class: 'bar', width, height: 10, 'aria-hidden': 'true' });
  svg.append(set(document.createElementNS(space, 'rect'), { class: 'track', width, height: 10 }), set(document.createElementNS(space, 'rect'), { class: ready ? 'ready' : 'fill', width: Math.max(1, width * part), height: 10 }));
  return svg;
}
function table(label, heads, rows) {
  return element('div', { class: 'wide' }, element('table', { 'aria-label': label }, element('thead', {}, element('tr', {}, ...heads.map(([text, kind]) => element('th', { text, class: kind || '', scope: 'col' })))), element('tbody', {}, ...rows)));
}
function cell(text, kind, title) { return element('td', { text, class: kind || '', ...(title ? { title } : {}) }); }
function select(index, focus) {
  selected = index;
  host.setState({ selected });
  draw();
  if (focus) page.querySelectorAll('tr.kernel')[index].focus();
}
function kernelRow(kernel, index) {
  const row = element('tr', { class: 'kernel', tabindex: index === selected ? '0' : '-1', 'aria-selected': String(index === selected) },
    cell(kernel.shortName + (kernel.launches > 1 ? '  (' + kernel.launches + ' launches)' : ''), 'name', kernel.name), cell(kernel.shape, 'quiet'), cell(kernel.duration, 'number'), element('td', {}, bar(kernel.bar, 180)),
    cell(kernel.ofAll, 'number'), cell(kernel.sm, 'number'), cell(kernel.memory, 'number'), cell(kernel.occupancy, 'number'), cell(kernel.reason));
  row.addEventListener('click', () => select(index, true));
  row.addEventListener('keydown', (event) => {
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: model.kernels.length - 1, Enter: index, ' ': index }[event.key];
    if (to === undefined || to < 0 || to >= model.kernels.length) return;
    event.preventDefault();
    select(to, true);
  });
  return row;
}
function title(text, quiet) { return element('h2', { text }, element('span', { class: 'quiet', text: quiet })); }
function lineRow(line) {
  const button = element('button', { class: 'link', text: line.label, title: 'Go to ' + line.file + ':' + line.line });
  button.addEventListener('click', () => host.postMessage({ type: 'goTo', file: line.file, line: line.line }));
  return element('tr', {}, element('td', {}, button), cell(line.source, 'code', line.source), cell(line.share, 'number'), element('td', {}, bar(line.bar, 90)), cell(line.words, line.flagged ? 'flagged' : ''), cell(line.threads, 'number'));
}
function draw() {
  const kernel = model.kernels[selected];
  const parts = [element('header', {}, element('h1', { text: model.title }), element('span', { class: 'quiet', text: model.subtitle }), ...model.remarks.map((text) => element('p', { class: 'remark quiet', text })))];
  parts.push(element('section', {}, title('Kernels', model.kernels.length > 1 ? 'arrow keys choose one' : ''),
    table('Kernels', [['kernel'], [model.kernels.some((each) => each.launches > 1) ? 'longest launch' : 'launch'], ['duration', 'number'], [''], ['of all', 'number'], ['SM', 'number'], ['memory', 'number'], ['occupancy', 'number'], ['first stall reason']], model.kernels.map(kernelRow))));
  if (kernel) {
    parts.push(element('div', { class: 'columns' },
      element('section', {}, title('Launch', kernel.shortName), table('Launch', [], [element('tr', {}, cell('Shape', 'quiet'), cell(kernel.shape)), ...kernel.facts.map((fact) => element('tr', {}, cell(fact.name, 'quiet'), cell(fact.value)))])),
      element('section', {}, title('Stall samples', 'grey: ready to issue'), table('Stall reasons', [], kernel.reasons.map((reason) => element('tr', {}, cell(reason.name, reason.ready ? 'ready' : ''), element('td', {}, bar(reason.bar, 180, reason.ready)), cell(reason.share, 'number'), cell(reason.meaning, 'quiet')))))));
    parts.push(element('section', {}, title('Hottest lines', kernel.without ? 'none: ' + kernel.without : 'share of the kernel\\u2019s stall samples'),
      kernel.lines.length ? table('Hottest lines', [['line'], ['source'], ['samples', 'number'], [''], ['why'], ['threads of 32', 'number']], kernel.lines.map(lineRow)) : undefined));
    if (kernel.advice.length) parts.push(element('section', {}, title('Nsight Compute\\u2019s advice', 'with its estimated speed-up'), ...kernel.advice.map((advice) => element('p', { class: 'advice' }, element('span', { class: 'gain quiet', text: advice.gain }), element('strong', { text: advice.title }), document.createElement('br'), document.createTextNode(advice.text)))));
  }
  page.replaceChildren(...parts);
}
addEventListener('message', ({ data }) => {
  if (data.type === 'model') { model = data.model; selected = Math.min((host.getState() || {}).selected || 0, Math.max(0, model.kernels.length - 1)); draw(); host.postMessage({ type: 'drawn', kernels: page.querySelectorAll('tr.kernel').length, lines: page.querySelectorAll('button.link').length }); }
  if (data.type === 'failed') page.replaceChildren(element('p', { role: 'alert', text: data.text }));
});
host.postMessage({ type: 'ready' });
`;
