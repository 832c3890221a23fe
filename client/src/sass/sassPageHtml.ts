// The page of the machine code of a kernel: only the visible rows of up to twenty thousand are in the document.
import { webPage } from '../webPage';

/** The document of the page; the model and the selected lines come by message. */
export function sassPageHtml(nonce: string): string {
  return webPage(nonce, { title: 'SASS', style, script, waiting: 'Reading the machine code…' });
}

/** Pixels of a row, in the style and in the script. */
const rowHeight = 20;

const style = `
body {
  padding: 8px 12px 0;
  height: calc(100vh - 8px);
  box-sizing: border-box;
  overflow: hidden;
}
#page {
  height: 100%;
  display: flex;
  flex-direction: column;
}
header {
  display: flex;
  flex-wrap: wrap;
  gap: 4px 12px;
  align-items: baseline;
  padding-bottom: 6px;
}
h1 {
  font-size: 1.2em;
  margin: 0;
}
h2 {
  font-size: 1em;
  margin: 0;
  overflow-wrap: anywhere;
}
select {
  background: var(--vscode-dropdown-background);
  color: var(--vscode-dropdown-foreground);
  border: 1px solid var(--vscode-dropdown-border);
  font: inherit;
  max-width: 40vw;
}
.sides {
  flex: 1;
  min-height: 0;
  display: grid;
  gap: 12px;
  grid-template-columns: minmax(0, 1fr);
}
.sides.two {
  grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
}
@media (max-width: 1000px) {
  .sides.two {
    grid-template-columns: minmax(0, 1fr);
    grid-auto-rows: minmax(0, 1fr);
  }
}
.side {
  display: flex;
  flex-direction: column;
  min-height: 0;
  min-width: 0;
  container-type: inline-size;
  border-top: 1px solid var(--vscode-contrastBorder, var(--vscode-editorWidget-border));
  padding-top: 6px;
}
.side p {
  margin: 2px 0 6px;
}
.tabs button {
  background: none;
  border: 0;
  padding: 0 8px 0 0;
  font: inherit;
  color: var(--vscode-descriptionForeground);
  cursor: pointer;
}
.tabs button[aria-pressed="true"] {
  color: var(--vscode-foreground);
  text-decoration: underline;
  text-underline-offset: 4px;
}
.rows {
  flex: 1;
  min-height: 0;
  overflow: auto;
  position: relative;
  outline: none;
  font-family: var(--vscode-editor-font-family);
  font-size: calc(var(--vscode-editor-font-size) * 0.92);
}
.space {
  position: relative;
}
.space,
.row.head {
  min-width: calc((var(--others) + var(--code)) * 1ch + 60px);
  box-sizing: border-box;
}
.space.ptx {
  min-width: 0;
}
.row {
  position: absolute;
  left: 0;
  right: 0;
  height: ${rowHeight}px;
  line-height: ${rowHeight}px;
  display: grid;
  column-gap: 10px;
  white-space: pre;
  cursor: pointer;
  grid-template-columns: var(--columns);
  padding: 0 6px;
}
/* A narrow side shows the instruction before what it waits for. */
@container (max-width: 600px) {
  .row {
    grid-template-columns: var(--narrow);
  }
  .row > :nth-child(3) {
    order: 1;
  }
}
.row.head {
  position: sticky;
  top: 0;
  z-index: 1;
  background: var(--vscode-editor-background);
  color: var(--vscode-descriptionForeground);
  cursor: default;
}
.row.ptx {
  grid-template-columns: 1fr;
}
.row span {
  overflow: hidden;
  text-overflow: ellipsis;
}
.row .number {
  text-align: right;
  font-variant-numeric: tabular-nums;
}
.row .place,
.row .offset,
.row .reason,
.row .control {
  color: var(--vscode-descriptionForeground);
}
.row.function {
  color: var(--vscode-descriptionForeground);
  border-bottom: 1px solid var(--vscode-editorWidget-border);
  cursor: default;
}
.row:hover {
  background: var(--vscode-list-hoverBackground);
}
.row.of-line {
  background: var(--vscode-warplens-belongsTogether);
  box-shadow: inset 3px 0 0 var(--vscode-warplens-heat);
}
.row.chosen {
  background: var(--vscode-list-inactiveSelectionBackground);
  outline: 1px solid var(--vscode-contrastActiveBorder, var(--vscode-focusBorder));
  outline-offset: -1px;
}
.row .heat {
  position: relative;
}
.row .heat::before {
  content: "";
  position: absolute;
  right: 0;
  top: 3px;
  bottom: 3px;
  width: calc(var(--bar) * 100%);
  background: var(--vscode-warplens-heat);
  opacity: 0.35;
}
.hot {
  color: var(--vscode-warplens-figureHot);
}
.most {
  color: var(--vscode-warplens-aboveIdeal);
}
`;

const script = `
const high = ${rowHeight};
let model,
  selected = new Set(),
  chosen,
  views = [];
const shown = Object.assign({ ptx: false }, host.getState());
/** Names of the columns and their characters; as many as the longest instruction has are \`--code\`. */
function columnsOf(side) {
  return [
    ['at', 5],
    ['samples', 7],
    ['waits for', 18],
    ...(side.hasLive ? [['live', 7]] : []),
    ...(side.legend ? [['control', 19, side.legend]] : []),
    ['instruction', 0],
    ['line', 8],
  ];
}
function setColumns(rows, side) {
  const columns = columnsOf(side);
  const width = ([name, count]) => (name === 'instruction' ? 'calc(var(--code) * 1ch)' : count + 'ch');
  const wide = columns.map((column) => (column[0] === 'line' ? 'minmax(8ch, 1fr)' : width(column)));
  const narrow = columns.filter(([name]) => name !== 'waits for').map(width);
  rows.style.setProperty('--columns', wide.join(' '));
  rows.style.setProperty('--narrow', [...narrow, 'minmax(18ch, 1fr)'].join(' '));
  rows.style.setProperty('--others', String(columns.reduce((sum, [, count]) => sum + count, 0)));
}
function instructionRow(side, row) {
  const made = element('div', { class: 'row', role: 'row' });
  const share = element('span', {
    class: 'number heat' + (row.bar >= 0.3 ? ' hot' : ''),
    role: 'gridcell',
    text: row.share,
  });
  share.style.setProperty('--bar', String(row.bar));
  made.append(
    element('span', { class: 'offset', role: 'gridcell', text: row.offset }),
    share,
    element('span', { class: 'reason', role: 'gridcell', text: row.reason, title: row.reasons }),
    ...(side.hasLive
      ? [
          element('span', {
            class: 'number' + (row.most ? ' most' : ''),
            role: 'gridcell',
            text: row.live,
            title: row.live
              ? 'live registers' +
                (row.live.includes('+') ? ', of the thread + of the warp' : '') +
                (row.most ? ': the most in this kernel' : '')
              : '',
          }),
        ]
      : []),
    ...(side.legend
      ? [element('span', { class: 'control', role: 'gridcell', text: row.control, title: side.legend })]
      : []),
    element('span', {
      role: 'gridcell',
      text: (row.labels ? row.labels + ':  ' : '') + row.text,
      title: row.text + (row.executed ? ' \\u2014 executed ' + row.executed + ' times by warps' : ''),
    }),
    element('span', { class: 'place', role: 'gridcell', text: row.place }),
  );
  return made;
}
function makeView(side, sideIndex) {
  const items = shown.ptx && side.ptx ? side.ptx : side.rows;
  const space = element('div', { class: 'space', role: 'presentation' });
  const head = element(
    'div',
    { class: 'row head' + (shown.ptx && side.ptx ? ' ptx' : ''), role: 'row' },
    ...(shown.ptx && side.ptx ? [['PTX']] : columnsOf(side)).map(([text, , title = '']) =>
      element('span', { role: 'columnheader', text, title, class: /^(samples|live)$/.test(text) ? 'number' : '' }),
    ),
  );
  const rows = element(
    'div',
    {
      class: 'rows',
      tabindex: '0',
      role: 'grid',
      'aria-label': 'Instructions of ' + side.kernel + ' in ' + side.name,
      'aria-rowcount': String(items.length),
    },
    head,
    space,
  );
  setColumns(rows, side);
  // Columns are aligned over all rows; a very long instruction is cut, and complete in its tooltip.
  rows.style.setProperty(
    '--code',
    String(
      Math.min(
        64,
        items.reduce((most, row) => Math.max(most, row.text.length + (row.labels ? row.labels.length + 3 : 0)), 28),
      ),
    ),
  );
  space.style.height = items.length * high + high + 'px';
  const view = {
    side,
    items,
    rows,
    from: -1,
    to: -1,
    draw(again) {
      const from = Math.max(0, Math.floor(rows.scrollTop / high) - 20),
        to = Math.min(items.length, Math.ceil((rows.scrollTop + rows.clientHeight) / high) + 20);
      if (!again && from >= view.from && to <= view.to) return;
      view.from = Math.max(0, from - 40);
      view.to = Math.min(items.length, to + 40);
      space.replaceChildren(
        ...items.slice(view.from, view.to).map((row, at) => {
          const index = view.from + at;
          const made =
            shown.ptx && side.ptx
              ? element(
                  'div',
                  { class: 'row ptx', role: 'row' },
                  element('span', { role: 'gridcell', text: row.text }),
                )
              : row.kind === 'function'
                ? element(
                    'div',
                    { class: 'row function', role: 'row' },
                    element('span', { role: 'gridcell', text: row.offset }),
                  )
                : instructionRow(side, row);
          made.style.top = index * high + 'px';
          made.setAttribute('aria-rowindex', String(index + 1));
          if (row.keys.some((key) => selected.has(key))) made.classList.add('of-line');
          if (chosen && chosen.side === sideIndex && chosen.index === index) {
            made.classList.add('chosen');
            made.setAttribute('aria-selected', 'true');
          }
          made.addEventListener('click', () => choose(sideIndex, index));
          return made;
        }),
      );
    },
    show(index) {
      const top = index * high,
        room = rows.clientHeight - 2 * high;
      if (top < rows.scrollTop || top > rows.scrollTop + room) rows.scrollTop = Math.max(0, top - room / 3);
      view.draw(true);
    },
  };
  rows.addEventListener('scroll', () => view.draw(false));
  rows.addEventListener('keydown', (event) => {
    const here = chosen && chosen.side === sideIndex ? chosen.index : -1;
    const page = Math.max(1, Math.floor(rows.clientHeight / high) - 2);
    const to = {
      ArrowDown: here + 1,
      ArrowUp: here - 1,
      PageDown: here + page,
      PageUp: here - page,
      Home: 0,
      End: items.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(sideIndex, Math.min(items.length - 1, Math.max(0, to)));
  });
  return view;
}
function choose(side, index) {
  chosen = { side, index };
  const row = views[side].items[index];
  selected = new Set(row.keys);
  for (const [at, view] of views.entries()) {
    const first = at === side ? index : view.items.findIndex((each) => each.keys.some((key) => selected.has(key)));
    if (first >= 0) view.show(first);
    else view.draw(true);
  }
  host.postMessage({ type: 'chosen', keys: row.keys });
  report();
}
function select(keys) {
  selected = new Set(keys);
  chosen = undefined;
  for (const view of views) {
    const first = view.items.findIndex((row) => row.keys.some((key) => selected.has(key)));
    if (first >= 0) view.show(first);
    else view.draw(true);
  }
  report();
}
function report() {
  host.postMessage({
    type: 'drawn',
    marked: views.map((view) => view.items.filter((row) => row.keys.some((key) => selected.has(key))).length),
    rows: page.querySelectorAll('.space .row').length,
    about: model.sides.map((side) => side.about),
  });
}
function draw() {
  views = model.sides.map(makeView);
  const choice = element(
    'select',
    { 'aria-label': 'Kernel' },
    ...model.kernels.map((kernel) =>
      element('option', {
        value: kernel.name,
        text: kernel.shortName,
        ...(kernel.name === model.chosen ? { selected: '' } : {}),
      }),
    ),
  );
  choice.addEventListener('change', () => host.postMessage({ type: 'kernel', name: choice.value }));
  const tab = (text, ptx) => {
    const button = element('button', { text, 'aria-pressed': String(shown.ptx === ptx) });
    button.addEventListener('click', () => {
      shown.ptx = ptx;
      host.setState(shown);
      chosen = undefined;
      draw();
    });
    return button;
  };
  page.replaceChildren(
    element(
      'header',
      {},
      element('h1', { text: model.title }),
      model.kernels.length > 1 ? choice : undefined,
      model.sides.some((side) => side.ptx)
        ? element('span', { class: 'tabs' }, tab('SASS', false), tab('PTX', true))
        : undefined,
      element('span', { class: 'quiet', text: 'select a line or an instruction to mark its counterparts' }),
    ),
    element(
      'div',
      { class: model.sides.length > 1 ? 'sides two' : 'sides' },
      ...views.map((view) =>
        element(
          'section',
          { class: 'side' },
          element('h2', { text: view.side.name }),
          element('p', { class: 'quiet', text: view.side.about }),
          view.rows,
        ),
      ),
    ),
  );
  for (const view of views) view.draw(true);
}
addEventListener('resize', () => {
  for (const view of views) view.draw(true);
});
addEventListener('message', ({ data }) => {
  if (data.type === 'model') {
    model = data.model;
    chosen = undefined;
    draw();
    select(data.keys || []);
  }
  if (data.type === 'select' && model) select(data.keys);
  if (data.type === 'failed') page.replaceChildren(element('p', { role: 'alert', text: data.text }));
});
host.postMessage({ type: 'ready' });
`;
