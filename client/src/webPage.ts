// The page around what a webview draws: a strict content policy, and what every page of ours begins with.

/** What a page brings. Its data come by message, and every text is set as text. */
export interface WebPage {
  readonly title: string;
  /** Behind the style and before the script that all pages share. */
  readonly style: string;
  /** Has `host` (the editor), `page` (the element to fill) and `element(tag, options, ...children)`. */
  readonly script: string;
  /** Text until the data have come. */
  readonly waiting?: string;
}

/** Sixteen random bytes in hexadecimal, for the policy of one page. */
export function freshNonce(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The document. Scripts and styles come only from the page itself: `nonce` is new for each. */
export function webPage(nonce: string, { title, style, script, waiting }: WebPage): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'">
<title>${title}</title>
<style nonce="${nonce}">${sharedStyle}${style}</style>
</head>
<body>
<main id="page">${waiting === undefined ? '' : `<p>${waiting}</p>`}</main>
<script nonce="${nonce}">${sharedScript}${script}</script>
</body>
</html>`;
}

const sharedStyle = `
body { color: var(--vscode-foreground); background: var(--vscode-editor-background); font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); padding: 8px 24px 32px; line-height: 1.45; }
.quiet { color: var(--vscode-descriptionForeground); } .wide { overflow-x: auto; } table { border-collapse: collapse; }
th { text-align: left; font-weight: normal; color: var(--vscode-descriptionForeground); }
:focus-visible { outline: 1px solid var(--vscode-focusBorder) !important; outline-offset: -1px; }`;

const sharedScript = `
const host = acquireVsCodeApi();
const page = document.getElementById('page');
function element(tag, options, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(options || {})) name === 'text' ? made.textContent = value : made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}
// A table that is wider than the page scrolls in its frame, and by the arrow keys once the frame has the focus.
new ResizeObserver(() => {
  for (const frame of page.querySelectorAll('.wide')) {
    if (frame.scrollWidth > frame.clientWidth) {
      const table = frame.querySelector('table');
      frame.tabIndex = 0;
      frame.setAttribute('role', 'group');
      frame.setAttribute('aria-label', (table && table.getAttribute('aria-label')) || 'Table');
    } else for (const name of ['tabindex', 'role', 'aria-label']) frame.removeAttribute(name);
  }
}).observe(page);`;
