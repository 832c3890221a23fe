// The page of a timeline: rows along a time axis, and tables. The extension answers which boxes a window has.
import { webPage } from '../webPage';

export function timelineHtml(nonce: string): string {
  return webPage(nonce, { title: 'Nsight Systems timeline', style, script, waiting: 'Reading the timeline…' });
}

const style = `
h1 {
  font-size: 1.4em;
  margin: 0 0 4px;
}
h2 {
  font-size: 1em;
  margin: 20px 0 6px;
}
.bar {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 4px 8px;
  margin: 12px 0 6px;
}
button {
  font: inherit;
  min-height: 24px;
  padding: 2px 8px;
  border: 1px solid var(--vscode-button-border, var(--vscode-contrastBorder, transparent));
  color: var(--vscode-button-secondaryForeground);
  background: var(--vscode-button-secondaryBackground);
  cursor: pointer;
}
button:hover {
  background: var(--vscode-button-secondaryHoverBackground);
}
button:disabled {
  opacity: 0.5;
  cursor: default;
}
svg {
  display: block;
  width: 100%;
  cursor: crosshair;
  user-select: none;
  touch-action: none;
}
svg text {
  fill: var(--vscode-foreground);
  font-size: 11px;
  pointer-events: none;
}
svg text.quiet {
  fill: var(--vscode-descriptionForeground);
}
svg .grid {
  stroke: var(--vscode-foreground);
  stroke-opacity: 0.15;
}
svg .track {
  fill: var(--vscode-foreground);
  fill-opacity: 0.06;
}
svg .kernel {
  fill: var(--vscode-charts-blue);
}
svg .copy {
  fill: var(--vscode-charts-green);
}
svg .call {
  fill: var(--vscode-charts-orange);
}
svg .selected {
  fill: none;
  stroke: var(--vscode-contrastActiveBorder, var(--vscode-foreground));
  stroke-width: 2;
}
svg .range {
  fill: var(--vscode-editor-selectionBackground);
  stroke: var(--vscode-contrastActiveBorder, none);
  fill-opacity: 0.5;
}
/* A bar has any color of any theme. */
svg text.inside {
  stroke: var(--vscode-editor-background);
  stroke-width: 3px;
  paint-order: stroke;
}
:is(.vscode-high-contrast, .vscode-high-contrast-light) svg :is(.kernel, .copy, .call) {
  stroke: var(--vscode-contrastBorder);
  stroke-width: 0.5;
}
.chosen {
  min-height: 1.5em;
  margin: 6px 0;
}
th,
td {
  padding: 2px 14px 2px 0;
  white-space: nowrap;
}
@media (max-width: 700px) {
  th,
  td {
    padding-right: 7px;
    font-size: 0.92em;
  }
}
td.number,
th.number {
  text-align: right;
  font-variant-numeric: tabular-nums;
}
`;

const script = `
const top_ = 20,
  high = 22,
  gap = 6;
let model,
  view,
  chosen,
  asked,
  state = host.getState() || {},
  row = 0,
  dragged;
const drawing = (tag, options, ...children) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(options))
    name === 'text' ? (made.textContent = value) : made.setAttribute(name, value);
  made.append(...children);
  return made;
};
const chart = drawing('svg', {
  tabindex: '0',
  role: 'application',
  'aria-roledescription': 'timeline',
  'aria-describedby': 'keys',
});
const said = element('span', { role: 'status' });
const source = element('button', { text: 'Go to source', disabled: '' });
source.addEventListener('click', goTo);
function goTo() {
  if (chosen && chosen.hasCall) host.postMessage({ type: 'goTo', row: chosen.row, index: chosen.index });
}
const left = () => Math.min(150, chart.clientWidth * 0.22);
const width = () => Math.max(50, chart.clientWidth - left());
const xOf = (time) => left() + ((time - view.from) / (view.to - view.from)) * width();
const timeAt = (x) => view.from + ((x - left()) / width()) * (view.to - view.from);
function ask(from, to) {
  state = { from, to };
  host.setState(state);
  if (asked) cancelAnimationFrame(asked);
  asked = requestAnimationFrame(() => host.postMessage({ type: 'window', from, to, pixels: Math.round(width()) }));
}
function zoom(factor, around = (view.from + view.to) / 2) {
  ask(around - (around - view.from) * factor, around + (view.to - around) * factor);
}
function pan(part) {
  const by = (view.to - view.from) * part;
  ask(view.from + by, view.to + by);
}
function select(to) {
  host.postMessage({ type: 'select', moment: (view.from + view.to) / 2, ...to });
}
function draw() {
  const bottom = top_ + model.rows.length * (high + gap);
  chart.setAttribute('height', bottom);
  const parts = view.axis.flatMap(({ at, text }) => {
    const x = xOf(at);
    return [
      drawing('line', { class: 'grid', x1: x, x2: x, y1: 14, y2: bottom }),
      drawing('text', {
        class: 'quiet',
        x,
        y: 11,
        'text-anchor': x > chart.clientWidth - 40 ? 'end' : 'middle',
        text,
      }),
    ];
  });
  model.rows.forEach(({ title, kind }, at) => {
    const y = top_ + at * (high + gap);
    const most = Math.floor(left() / 6.2);
    const label = drawing('text', {
      x: 0,
      y: y + 15,
      text: title.length > most ? title.slice(0, most - 1) + '\\u2026' : title,
    });
    parts.push(label, drawing('rect', { class: 'track', x: left(), y, width: width(), height: high }));
    for (const { start, end, full, index, text, tip } of view.rows[at]) {
      const x = Math.max(left(), xOf(start)),
        wide = Math.max(1, Math.min(chart.clientWidth, xOf(end)) - x);
      const box = drawing(
        'rect',
        { class: kind, x, y, width: wide, height: high, 'fill-opacity': 0.25 + 0.75 * full },
        drawing('title', { text: tip }),
      );
      box.addEventListener('click', () => select({ row: at, index }));
      box.addEventListener('dblclick', goTo);
      parts.push(box);
      if (text && wide > text.length * 6.5 + 8)
        parts.push(drawing('text', { class: 'inside', x: x + 4, y: y + 15, text }));
    }
  });
  if (chosen && chosen.end >= view.from && chosen.start <= view.to) {
    const x = Math.max(left(), xOf(chosen.start));
    parts.push(
      drawing('rect', {
        class: 'selected',
        x,
        y: top_ + chosen.row * (high + gap),
        width: Math.max(3, Math.min(chart.clientWidth, xOf(chosen.end)) - x),
        height: high,
      }),
    );
  }
  chart.replaceChildren(...parts);
  host.postMessage({
    type: 'drawn',
    boxes: chart.querySelectorAll('rect > title').length,
    from: view.from,
    to: view.to,
  });
}
const keys = {
  ArrowRight: () => select({ row, index: chosen && chosen.row === row ? chosen.index : undefined, step: 1 }),
  ArrowLeft: () => select({ row, index: chosen && chosen.row === row ? chosen.index : undefined, step: -1 }),
  ArrowDown: () => {
    row = Math.min(model.rows.length - 1, row + 1);
    select({ row, ...(chosen ? { moment: chosen.start } : {}) });
  },
  ArrowUp: () => {
    row = Math.max(0, row - 1);
    select({ row, ...(chosen ? { moment: chosen.start } : {}) });
  },
  '+': () => zoom(0.5, chosen && chosen.start),
  '=': () => zoom(0.5, chosen && chosen.start),
  '-': () => zoom(2),
  0: () => ask(0, model.spanNs),
  PageUp: () => pan(-0.8),
  PageDown: () => pan(0.8),
  Enter: goTo,
};
chart.addEventListener('keydown', (event) => {
  if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  keys[event.key]();
});
// The plain wheel scrolls the page.
chart.addEventListener(
  'wheel',
  (event) => {
    if (event.ctrlKey || event.metaKey) zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event.offsetX));
    else if (event.shiftKey || event.deltaX) pan((event.deltaX || event.deltaY) / width());
    else return;
    event.preventDefault();
  },
  { passive: false },
);
chart.addEventListener('pointerdown', (event) => {
  if (event.button === 0 && event.offsetX > left()) dragged = { x: event.offsetX };
});
window.addEventListener('pointermove', (event) => {
  if (!dragged) return;
  const x = Math.min(chart.clientWidth, Math.max(left(), event.clientX - chart.getBoundingClientRect().left));
  if (!dragged.range && Math.abs(x - dragged.x) < 4) return;
  if (!dragged.range)
    chart.append((dragged.range = drawing('rect', { class: 'range', y: 0, height: chart.getAttribute('height') })));
  dragged.to = x;
  dragged.range.setAttribute('x', Math.min(x, dragged.x));
  dragged.range.setAttribute('width', Math.abs(x - dragged.x));
});
window.addEventListener('pointerup', () => {
  const { x, to, range } = dragged || {};
  dragged = undefined;
  if (!range) return;
  range.remove();
  ask(timeAt(Math.min(x, to)), timeAt(Math.max(x, to)));
});
new ResizeObserver(() => view && ask(view.from, view.to)).observe(chart);
function button(text, act) {
  const made = element('button', { text });
  made.addEventListener('click', act);
  return made;
}
function table({ title, head, rows }) {
  const kind = (at) => (at > 0 && rows.some((cells) => /^\\d/.test(cells[at])) ? 'number' : '');
  return [
    element('h2', { text: title }),
    element(
      'div',
      { class: 'wide' },
      element(
        'table',
        { 'aria-label': title },
        element(
          'thead',
          {},
          element('tr', {}, ...head.map((text, at) => element('th', { text, scope: 'col', class: kind(at) }))),
        ),
        element(
          'tbody',
          {},
          ...rows.map((cells) =>
            element('tr', {}, ...cells.map((text, at) => element('td', { text, class: kind(at) }))),
          ),
        ),
      ),
    ),
  ];
}
function build() {
  chart.setAttribute(
    'aria-label',
    model.rows.map(({ title, count }) => title + ', ' + count + ' events').join('; '),
  );
  page.replaceChildren(
    element('h1', { text: model.name }),
    element('div', { text: model.summary }),
    ...(model.hint ? [element('div', { class: 'quiet', text: model.hint })] : []),
    element(
      'div',
      { class: 'bar' },
      button('Zoom in', () => zoom(0.5)),
      button('Zoom out', () => zoom(2)),
      button('Whole run', () => ask(0, model.spanNs)),
      source,
      element('span', {
        id: 'keys',
        class: 'quiet',
        text: 'Drag or Ctrl+wheel zooms. Keys: arrows select, + \\u2212 0 zoom, Enter goes to the source.',
      }),
    ),
    chart,
    element('div', { class: 'chosen' }, said),
    ...model.tables.flatMap(table),
  );
  said.textContent = 'Select an event to see what it is and to go to its line.';
  ask(state.from === undefined ? 0 : state.from, state.to === undefined ? model.spanNs : state.to);
}
window.addEventListener('message', ({ data }) => {
  if (data.type === 'model') {
    model = data.model;
    build();
  } else if (data.type === 'window') {
    view = data.window;
    draw();
  } else if (data.type === 'selected') {
    chosen = data.selection;
    row = chosen.row;
    said.textContent = chosen.text;
    source.disabled = !chosen.hasCall;
    const width_ = view.to - view.from;
    chosen.end < view.from || chosen.start > view.to
      ? ask(chosen.start - width_ / 2, chosen.start + width_ / 2)
      : draw();
  } else if (data.type === 'failed') page.replaceChildren(element('p', { text: data.text }));
});
host.postMessage({ type: 'ready' });
`;
