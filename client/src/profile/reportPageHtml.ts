// The page that draws a report's model: no library, no network, every text set as text, every chart with its words.
import { webPage } from '../webPage';

/** The document of the report page; the model comes by message. */
export function pageHtml(nonce: string): string {
  return webPage(nonce, { title: 'Nsight Compute report', style, script, waiting: 'Reading the report…' });
}

const style = `
h1 { font-size: 1.4em; display: inline; margin-right: 12px; } h2 { font-size: 1em; margin: 0 0 8px; }
section { border-top: 1px solid var(--vscode-contrastBorder, var(--vscode-editorWidget-border)); margin-top: 16px; padding-top: 12px; min-width: 0; }
.ready { color: var(--vscode-descriptionForeground); } h2 .quiet { font-weight: normal; margin-left: 8px; }
table { width: 100%; }
th, td { padding: 3px 10px 3px 6px; white-space: nowrap; vertical-align: middle; }
.cards th, .cards td { padding-left: 0; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.code, td.name { white-space: normal; overflow-wrap: anywhere; } td.place button { text-align: left; }
td.code { font-family: var(--vscode-editor-font-family); min-width: 20ch; max-width: min(520px, 30vw); } td.wrap { white-space: normal; } td.name { min-width: 12ch; max-width: 360px; }
tbody tr.kernel { cursor: pointer; }
tbody tr.kernel:hover { background: var(--vscode-list-hoverBackground); }
tbody tr.kernel[aria-selected=true] { background: var(--vscode-list-inactiveSelectionBackground); outline: 1px solid var(--vscode-contrastActiveBorder, transparent); }
tbody tr.kernel[aria-selected=true] .quiet { color: inherit; }
button { background: none; border: 0; padding: 0; font: inherit; color: inherit; cursor: pointer; }
button.link { color: var(--vscode-textLink-foreground); }
button.link:hover, th button:hover { text-decoration: underline; }
.flagged { color: var(--vscode-warplens-aboveIdeal); }
.better { color: var(--vscode-warplens-gain); } .worse { color: var(--vscode-warplens-loss); }
.verdict { margin: 12px 0 0; }
.cards { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 0 28px; } .cards.odd { grid-template-columns: repeat(3, minmax(0, 1fr)); }
@media (max-width: 1180px) { .cards, .cards.odd { grid-template-columns: repeat(2, minmax(0, 1fr)); } .cards.odd > :last-child { grid-column: 1 / -1; } }
@media (max-width: 620px) { .cards, .cards.odd { grid-template-columns: minmax(0, 1fr); } }

@media (max-width: 1000px) { .spare { display: none; } th, td { padding-right: 6px; padding-left: 3px; } td.place { white-space: normal; overflow-wrap: anywhere; min-width: 14ch; max-width: 150px; } td.name { max-width: 160px; } }
svg { display: block; overflow: visible; } .chart svg { width: 100%; max-width: 420px; height: auto; } .cards td svg { width: 100%; min-width: 40px; } svg .track { fill: var(--vscode-foreground); fill-opacity: .09; } svg .fill { fill: var(--vscode-warplens-heat); } svg .ready { fill: var(--vscode-descriptionForeground); fill-opacity: .6; }
svg text { fill: var(--vscode-foreground); font-size: 11px; } svg text.quiet { fill: var(--vscode-descriptionForeground); } svg text.over { stroke: var(--vscode-editor-background); stroke-width: 3px; paint-order: stroke; }
svg .grid { stroke: var(--vscode-foreground); stroke-opacity: .2; } svg .curve { stroke: var(--vscode-charts-blue); stroke-width: 1.5; fill: none; } svg .here { stroke: var(--vscode-warplens-heat); stroke-dasharray: 3 3; } svg .point { fill: var(--vscode-warplens-heat); stroke: var(--vscode-editor-background); }
.chart { margin: 0; } figcaption { color: var(--vscode-descriptionForeground); margin-top: 4px; }
.tabs { margin: 0 0 4px; } .tabs button { margin-right: 12px; min-height: 24px; color: var(--vscode-descriptionForeground); } .tabs button[aria-pressed=true] { color: var(--vscode-foreground); text-decoration: underline; text-underline-offset: 4px; }
.advice { max-width: 1000px; margin: 0 0 10px; } .gain { float: right; margin-left: 16px; }
.remark { margin: 6px 0 0; } table[aria-label='Time of a launch'] { width: auto; }
`;

const script = `
let model;
const meanings = { sectors: 'pieces of 32 bytes that the line asked of the cache, against the fewest for the same data', wavefronts: 'passes of shared memory, against the fewest for the same data', threads: 'threads of 32 that took part, on average' };
let state = Object.assign({ selected: 0, sort: 'samples', down: true, changeSort: 'cost', changeDown: true, curve: 0 }, host.getState());
function keep(changes) { state = Object.assign({}, state, changes); host.setState(state); draw(); }
function drawing(tag, options, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(options)) name === 'text' ? made.textContent = value : made.setAttribute(name, value);
  made.append(...children);
  return made;
}
function bar(part, width, ready) {
  return drawing('svg', { width, height: 10, 'aria-hidden': 'true' }, drawing('rect', { class: 'track', width, height: 10 }), drawing('rect', { class: ready ? 'ready' : 'fill', width: Math.max(1, width * Math.min(1, part)), height: 10 }));
}
function head([text, kind, sort], keyed = 'sort', order = 'down') {
  if (text === '') return element('td', { class: kind || '' });
  if (!sort) return element('th', { text, class: kind || '', scope: 'col' });
  const by = state[keyed] === sort, down = state[order];
  const button = element('button', { text: text + (by ? (down ? ' \\u2193' : ' \\u2191') : ''), title: (meanings[text] ? text + ': ' + meanings[text] + '. ' : '') + 'Sort by ' + text, ['data-' + keyed.toLowerCase()]: sort });
  button.addEventListener('click', () => { keep({ [keyed]: sort, [order]: by ? !down : true }); page.querySelector('[data-' + keyed.toLowerCase() + '="' + sort + '"]').focus(); });
  return element('th', { class: kind || '', scope: 'col', 'aria-sort': by ? (down ? 'descending' : 'ascending') : 'none' }, button);
}
function table(label, heads, rows, role, keyed, order) {
  return element('div', { class: 'wide' }, element('table', { 'aria-label': label, ...(role ? { role } : {}) }, element('thead', {}, element('tr', {}, ...heads.map((one) => head(one, keyed, order)))), element('tbody', {}, ...rows)));
}
function cell(text, kind, title) { return element('td', { text, class: kind || '', ...(title ? { title } : {}) }); }
function select(index, focus) {
  keep({ selected: index });
  if (focus) page.querySelectorAll('tr.kernel')[index].focus();
}
function kernelRow(kernel, index) {
  const row = element('tr', { class: 'kernel', tabindex: index === state.selected ? '0' : '-1', 'aria-selected': String(index === state.selected) },
    cell(kernel.shortName + (kernel.launches > 1 ? '  (' + kernel.launches + ' launches)' : ''), 'name', kernel.name), cell(kernel.shape, model.baseline ? 'quiet spare' : 'quiet'), cell(kernel.duration, 'number'), element('td', { class: 'spare' }, bar(kernel.bar, model.baseline ? 80 : 180)),
    cell(kernel.ofAll, 'number'), ...(model.baseline ? [cell(kernel.before ? kernel.before.duration : 'new', 'number'), cell(kernel.before ? kernel.before.gain : '', 'number ' + (kernel.before ? kernel.before.kind : ''))] : []),
    cell(kernel.sm, 'number'), cell(kernel.memory, 'number'), cell(kernel.occupancy, 'number'), cell(kernel.reason));
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
  return element('tr', {}, element('td', { class: 'place' }, button), cell(line.source, 'code', line.source), cell(line.share, 'number'), element('td', { class: 'spare' }, bar(line.bar, 90)), cell(line.reason),
    cell(line.sectors, 'number' + (line.flagged.includes('sectors') ? ' flagged' : '')), cell(line.wavefronts, 'number' + (line.flagged.includes('wavefronts') ? ' flagged' : '')), cell(line.threads, 'number'),
    ...(model.baseline ? [cell(line.before, 'number quiet')] : []));
}
function changeRow(row) {
  const button = element('button', { class: 'link', text: row.label, title: row.line === undefined ? 'A line of the earlier report' : 'Go to ' + row.file + ':' + row.line });
  button.addEventListener('click', () => host.postMessage({ type: 'goTo', file: row.file, line: row.line }));
  const tone = row.verdict === 'better' || row.verdict === 'worse' ? ' ' + row.verdict : '';
  const counted = (metric) => cell(row[metric], 'number' + (row.changed.includes(metric) ? '' : ' quiet'));
  return element('tr', {}, element('td', { class: 'place' }, row.line === undefined ? element('span', { class: 'quiet', text: row.label }) : button), cell(row.source, 'code', row.source),
    cell(row.cost || (row.verdict === 'changed' ? 'changed' : row.verdict), 'number' + tone), cell(row.share, 'number'), cell(row.reason, 'name', row.reasons || row.reason), counted('sectors'), counted('wavefronts'), counted('instructions'), cell(row.state, 'quiet spare'));
}
function changesSection(kernel) {
  const rows = sorted(kernel.changes, 'changeSort', 'changeDown', Math.abs);
  const total = kernel.before && element('table', { 'aria-label': 'Time of a launch' }, ...[['before', kernel.before.duration, kernel.before.bars[0], ''], ['after', kernel.before.after, kernel.before.bars[1], kernel.before.gain]].map(([name, time, part, gain]) =>
    element('tr', {}, cell(name, 'quiet'), cell(time, 'number'), element('td', {}, bar(part, 240, name === 'before')), cell(gain, kernel.before.kind))));
  return element('section', {}, title('What changed', rows.length ? 'time that each line cost (+) or saved (\u2212) per launch, beyond run-to-run variation' : 'no line differs from ' + model.baseline + ' by more than run-to-run variation'), total,
    rows.length ? table('What changed', [['line', '', 'place'], ['source'], ['time', 'number', 'cost'], ['samples', 'number', 'share'], ['first stall reason', '', 'reason'], ['sectors', 'number', 'sectors'], ['wavefronts', 'number', 'wavefronts'], ['instructions', 'number', 'instructions'], ['', 'spare']], rows.map(changeRow), undefined, 'changeSort', 'changeDown') : document.createTextNode(''));
}
function sorted(lines, by = 'sort', down = 'down', size = (x) => x) {
  const value = (line) => { const x = line.sort[state[by]]; return typeof x === 'number' ? size(x) : x; };
  const direction = state[down] ? -1 : 1;
  return [...lines].sort((a, b) => {
    const x = value(a), y = value(b);
    if (x === undefined || y === undefined) return x === y ? 0 : x === undefined ? 1 : -1;
    return direction * (typeof x === 'string' ? -x.localeCompare(y) : x - y);
  });
}
const wide = 340, high = 190, left = 44, right = 18, top_ = 12, bottom = 32;
function frame(label, ...children) { return drawing('svg', { viewBox: '0 0 ' + wide + ' ' + high, width: wide, height: high, role: 'img', 'aria-label': label }, ...children); }
function roofline(chart) {
  const x0 = Math.floor(Math.log10(chart.least)), x1 = Math.ceil(Math.log10(chart.most));
  const y0 = Math.floor(Math.log10(chart.lowest)), y1 = Math.ceil(Math.log10(chart.highest));
  const x = (value) => left + (Math.log10(value) - x0) / (x1 - x0) * (wide - left - right);
  const y = (value) => high - bottom - (Math.log10(value) - y0) / (y1 - y0) * (high - top_ - bottom);
  const parts = [];
  for (let tick = y0; tick <= y1; tick++) parts.push(drawing('line', { class: 'grid', x1: left, x2: wide - right, y1: y(10 ** tick), y2: y(10 ** tick) }), drawing('text', { class: 'quiet', x: left - 6, y: y(10 ** tick) + 4, 'text-anchor': 'end', text: chart.scale[tick] || '1e' + tick }));
  for (let tick = x0; tick <= x1; tick++) parts.push(drawing('text', { class: 'quiet', x: x(10 ** tick), y: high - bottom + 15, 'text-anchor': 'middle', text: String(10 ** tick > 0.001 ? Number((10 ** tick).toPrecision(1)) : '1e' + tick) }));
  parts.push(drawing('text', { class: 'quiet', x: wide - right, y: high - 4, 'text-anchor': 'end', text: 'operations per byte of DRAM' }));
  for (const roof of chart.roofs) {
    const ridge = roof.peak / roof.bandwidth;
    const from = Math.max(10 ** x0, 10 ** y0 / roof.bandwidth);
    parts.push(drawing('path', { class: 'curve', d: 'M' + x(from) + ' ' + y(from * roof.bandwidth) + 'L' + x(ridge) + ' ' + y(roof.peak) + 'L' + (wide - right) + ' ' + y(roof.peak) }), drawing('text', { class: 'quiet over', x: wide - right, y: y(roof.peak) - 3, 'text-anchor': 'end', text: roof.name }));
    parts.push(drawing('circle', { class: 'point', cx: x(roof.intensity), cy: y(roof.achieved), r: 4.5 }, drawing('title', { text: roof.words })));
  }
  return element('figure', { class: 'chart' }, frame(chart.words, ...parts), element('figcaption', { text: chart.words }));
}
function occupancy(chart) {
  const curve = chart.curves[Math.min(state.curve, chart.curves.length - 1)];
  const tabs = chart.curves.map((each, index) => {
    const button = element('button', { text: each.of, 'aria-pressed': String(each === curve) });
    button.addEventListener('click', () => { keep({ curve: index }); page.querySelectorAll('.tabs button')[index].focus(); });
    return button;
  });
  if (!curve) return element('p', { class: 'quiet', text: chart.words });
  const points = curve.points, last = points[points.length - 1][0];
  const x = (value) => left + value / last * (wide - left - right);
  const y = (value) => high - bottom - value / chart.most * (high - top_ - bottom);
  const parts = [];
  for (const share of [0, .25, .5, .75, 1]) parts.push(drawing('line', { class: 'grid', x1: left, x2: wide - right, y1: y(chart.most * share), y2: y(chart.most * share) }), drawing('text', { class: 'quiet', x: left - 6, y: y(chart.most * share) + 4, 'text-anchor': 'end', text: String(Math.round(chart.most * share)) }));
  for (let tick = 0; tick <= 4; tick++) parts.push(drawing('text', { class: 'quiet', x: x(last * tick / 4), y: high - bottom + 15, 'text-anchor': tick === 4 ? 'end' : 'middle', text: last > 4096 ? Math.round(last * tick / 4 / 1024) + ' K' : String(Math.round(last * tick / 4)) }));
  parts.push(drawing('text', { class: 'quiet', x: wide - right, y: high - 4, 'text-anchor': 'end', text: curve.of }));
  let path = '';
  points.forEach(([value, warps], index) => { path += index === 0 ? 'M' + x(value) + ' ' + y(warps) : 'H' + x(value) + 'V' + y(warps); });
  parts.push(drawing('path', { class: 'curve', d: path }), drawing('line', { class: 'here', x1: x(curve.at), x2: x(curve.at), y1: y(0), y2: y(chart.theoretical) }), drawing('circle', { class: 'point', cx: x(curve.at), cy: y(chart.theoretical), r: 4.5 }));
  return element('figure', { class: 'chart' }, element('div', { class: 'tabs' }, ...tabs), frame(chart.words + ' ' + curve.words, ...parts), element('figcaption', { text: curve.words }));
}
function draw() {
  const kernel = model.kernels[state.selected];
  const parts = [element('header', {}, element('h1', { text: model.title }), element('span', { class: 'quiet', text: model.subtitle }), ...model.remarks.map((text) => element('p', { class: 'remark quiet', text })))];
  parts.push(element('section', {}, title('Kernels', (model.kernels.length > 1 ? 'arrow keys choose one' : '') + (model.baseline ? (model.kernels.length > 1 ? ' \\u00b7 ' : '') + 'compared with ' + model.baseline : '')),
    table('Kernels', [['kernel'], [model.kernels.some((each) => each.launches > 1) ? 'longest launch' : 'launch', model.baseline ? 'spare' : ''], ['duration', 'number'], ['', 'spare'], ['of all', 'number'], ...(model.baseline ? [['before', 'number'], ['gain', 'number']] : []), ['SM', 'number'], ['memory', 'number'], ['occupancy', 'number'], ['first stall reason']], model.kernels.map(kernelRow), 'grid'),
    ...(model.total ? [element('p', { class: 'remark' }, element('strong', { text: 'All kernels: ' }), document.createTextNode(model.total + '.'))] : []),
    ...(model.gone.length ? [element('p', { class: 'remark quiet', text: 'In ' + model.baseline + ' only: ' + model.gone.join(', ') + '.' })] : []),
    ...(kernel && kernel.verdict ? [element('p', { class: 'verdict' }, element('strong', { text: kernel.shortName + ': ' }), document.createTextNode(kernel.verdict))] : [])));
  if (kernel) {
    if (kernel.changes) parts.push(changesSection(kernel));
    const cards = [];
    if (kernel.light.length || kernel.facts.length) cards.push(element('section', {}, title('Speed of light', 'of the peak'), table('Speed of light', [], kernel.light.map((unit) => element('tr', {}, cell(unit.unit), element('td', {}, bar(unit.bar, 180)), cell(unit.percent, 'number')))), table('Launch', [], [['Shape', kernel.shape], ...kernel.facts.map((fact) => [fact.name, fact.value])].map(([name, value]) => element('tr', {}, cell(name, 'quiet'), cell(value, 'wrap'))))));
    if (kernel.reasons.length) cards.push(element('section', {}, title('Stall samples', 'grey: ready to issue'), table('Stall reasons', [], kernel.reasons.map((reason) => element('tr', { title: reason.meaning }, cell(reason.name, reason.ready ? 'ready' : ''), element('td', {}, bar(reason.bar, 110, reason.ready)), cell(reason.share, 'number')))), ...kernel.reasons.filter((reason) => !reason.ready && reason.meaning).slice(0, 3).map((reason) => element('p', { class: 'remark quiet', text: reason.name + ': ' + reason.meaning }))));
    if (kernel.roofline) cards.push(element('section', {}, title('Roofline', 'floating-point operations a second'), roofline(kernel.roofline)));
    if (kernel.limits) cards.push(element('section', {}, title('Occupancy', kernel.limits.words), occupancy(kernel.limits)));
    parts.push(element('div', { class: cards.length === 3 ? 'cards odd' : 'cards' }, ...cards));
    parts.push(element('section', {}, title('Hottest lines', kernel.without ? 'none: ' + kernel.without : 'share of the kernel\\u2019s stall samples; sectors and wavefronts against their ideal'),
      kernel.lines.length ? table('Hottest lines', [['line', '', 'place'], ['source'], ['samples', 'number', 'samples'], ['', 'spare'], ['first stall reason', '', 'reason'], ['sectors', 'number', 'sectors'], ['wavefronts', 'number', 'wavefronts'], ['threads', 'number', 'threads'], ...(model.baseline ? [['samples before', 'number']] : [])], sorted(kernel.lines).map(lineRow)) : undefined));
    if (kernel.advice.length) parts.push(element('section', {}, title('Nsight Compute\\u2019s advice', 'with its estimated speed-up'), ...kernel.advice.map((advice) => element('p', { class: 'advice' }, element('span', { class: 'gain quiet', text: advice.gain }), element('strong', { text: advice.title }), document.createElement('br'), document.createTextNode(advice.text)))));
  }
  page.replaceChildren(...parts);
}
addEventListener('message', ({ data }) => {
  if (data.type === 'model') { model = data.model; state.selected = Math.min(state.selected, Math.max(0, model.kernels.length - 1)); draw(); host.postMessage({ type: 'drawn', kernels: page.querySelectorAll('tr.kernel').length, lines: page.querySelectorAll('button.link').length, charts: page.querySelectorAll('svg[role=img]').length, sections: [...page.querySelectorAll('h2')].map((each) => each.firstChild.textContent) }); }
  if (data.type === 'failed') page.replaceChildren(element('p', { role: 'alert', text: data.text }));
});
host.postMessage({ type: 'ready' });
`;
