// The page that draws a measurement's model: no library, no network, every text set as text.
import { webPage } from '../webPage';

/** The document of the page of a measurement; the model comes by message. */
export function trialPageHtml(nonce: string): string {
  return webPage(nonce, { title: 'Measured change', style, script });
}

const style = `
h1 { font-size: 1.2em; font-weight: 600; margin: 8px 0 2px; } h2 { font-size: 1em; margin: 0 0 8px; }
section { border-top: 1px solid var(--vscode-contrastBorder, var(--vscode-editorWidget-border)); margin-top: 16px; padding-top: 12px; }
.quiet { margin: 0; }
.headline { font-size: 1.9em; font-weight: 600; margin: 14px 0 2px; }
.better { color: var(--vscode-warplens-gain); } .worse { color: var(--vscode-warplens-aboveIdeal); }
.words { margin: 0 0 14px; max-width: 900px; }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 0 4px; }
button { font: inherit; cursor: pointer; border: 1px solid var(--vscode-button-border, transparent); border-radius: 2px; padding: 4px 12px; color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); }
button:hover { background: var(--vscode-button-secondaryHoverBackground); }
button.first { color: var(--vscode-button-foreground); background: var(--vscode-button-background); } button.first:hover { background: var(--vscode-button-hoverBackground); }
button.link { background: none; border: 0; padding: 0; color: var(--vscode-textLink-foreground); } button.link:hover { text-decoration: underline; background: none; }
th, td { padding: 4px 16px 4px 0; white-space: nowrap; vertical-align: middle; }
td.name, th.name { max-width: 320px; white-space: normal; overflow-wrap: anywhere; } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
tr.best td.name { font-weight: 600; }
svg { display: block; } svg .track { fill: var(--vscode-foreground); fill-opacity: .09; } svg .fill { fill: var(--vscode-warplens-heat); } svg .fill.better { fill: var(--vscode-warplens-gain); }
ul { margin: 0; padding-left: 18px; max-width: 900px; } li { margin: 3px 0; }
.done { margin: 0 0 4px; }
`;

const script = `
function button(text, kind, message, label) {
  const made = element('button', { text, class: kind, ...(label ? { 'aria-label': label } : {}) });
  made.addEventListener('click', () => host.postMessage(message));
  return made;
}
function bar(part, mood) {
  const space = 'http://www.w3.org/2000/svg', width = 110;
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('width', width); svg.setAttribute('height', 10); svg.setAttribute('aria-hidden', 'true');
  for (const [kind, size] of [['track', width], ['fill ' + mood, Math.max(1, width * Math.min(1, part))]]) {
    const rect = document.createElementNS(space, 'rect');
    rect.setAttribute('class', kind); rect.setAttribute('width', size); rect.setAttribute('height', 10);
    svg.append(rect);
  }
  return svg;
}
function numeric(key) { return key === 'result' ? '' : 'number'; }
function buttons(model) {
  const changed = model.forms.map((form, index) => ({ ...form, index })).filter((form) => !form.isUnchanged);
  const one = changed.length === 1 ? changed[0] : undefined;
  const shown = [];
  if (model.applied) return element('p', { class: 'done', role: 'status', text: model.applied });
  if (model.offer) shown.push(button(model.offer.label, 'first', { type: 'apply', form: model.offer.form }));
  shown.push(button('Leave', model.offer ? '' : 'first', { type: 'leave' }));
  if (one) shown.push(button('Show Change', '', { type: 'change', form: one.index }));
  if (one && one.hasOutput) shown.push(button(one.differs ? 'Show Output Difference' : 'Compare Outputs', '', { type: 'output', form: one.index }));
  if (one && one.canApply && !model.offer) shown.push(button('Apply Anyway', '', { type: 'apply', form: one.index }));
  return element('div', { class: 'buttons' }, ...shown);
}
function row(model, form, index, several) {
  const actions = element('span', {});
  if (several && !form.isUnchanged) {
    const add = (text, message) => { if (actions.childNodes.length) actions.append(' \\u00b7 '); actions.append(button(text, 'link', message, text + ': ' + form.name)); };
    if (form.recommended && !form.isBest && !model.applied) add('Apply', { type: 'apply', form: index });
    if (form.hasOutput && form.differs) add('Show', { type: 'output', form: index });
  }
  return element('tr', { class: form.isBest ? 'best' : '' },
    element('td', { class: 'name', text: form.name + (form.isBest && several ? '  \\u2190 best' : ''), title: form.words }), element('td', {}, form.bar === undefined ? undefined : bar(form.bar, form.mood === 'better' ? 'better' : '')),
    ...model.columns.map(({ key }) => key === 'result'
      ? element('td', {}, element('span', { text: form.cells.result, class: form.mood }), ...(actions.childNodes.length ? [' \u00b7 ', actions] : []))
      : element('td', { text: form.cells[key], class: 'number' })));
}
function draw(model) {
  const several = model.forms.length > 2;
  const head = ['', ''].concat(model.columns.map(({ title }) => title));
  page.replaceChildren(
    element('h1', { text: model.title }), element('p', { class: 'quiet', text: model.subtitle }),
    element('p', { class: 'headline ' + model.mood, text: model.headline }), element('p', { class: 'words', text: model.explanation }),
    buttons(model),
    element('section', {}, element('div', { class: 'wide' }, element('table', { 'aria-label': 'Measured forms' },
      element('thead', {}, element('tr', {}, ...head.map((text, index) => element(text ? 'th' : 'td', text === '' ? {} : { text, scope: 'col', class: index < 2 ? '' : numeric(model.columns[index - 2].key) })))),
      element('tbody', {}, ...model.order.map((index) => row(model, model.forms[index], index, several)))))),
  );
  const wordy = several ? model.forms.filter((form) => form.mood === 'worse' && form.words) : [];
  if (wordy.length) page.append(element('section', {}, element('ul', {}, ...wordy.map((form) => element('li', { text: form.name + ': ' + form.words })))));
  if (model.kernels.length) page.append(element('section', {}, element('h2', { text: 'Kernels' }), element('div', { class: 'wide' }, element('table', { 'aria-label': 'Kernels' },
    element('thead', {}, element('tr', {}, ...['', ...model.forms.map(({ name }) => name)].map((text) => text === '' ? element('td', {}) : element('th', { text, scope: 'col', class: 'name' })))),
    element('tbody', {}, ...model.kernels.map(({ name, times }) => element('tr', {}, element('td', { text: name, class: 'name' }), ...times.map((text) => element('td', { text, class: 'number' })))))))));
  if (model.notes.length) page.append(element('section', {}, element('ul', {}, ...model.notes.map((text) => element('li', { text })))));
  host.postMessage({ type: 'drawn', forms: page.querySelectorAll('tbody tr').length, buttons: [...page.querySelectorAll('.buttons button')].map((each) => each.textContent) });
}
window.addEventListener('message', ({ data }) => { if (data.type === 'model') draw(data.model); });
host.postMessage({ type: 'ready' });
`;
