import { reference, type Table } from './markdown.ts'

/** The only style the page loads; it loads no script, font or image. Colours and measures are those of the playground. */
export const styleSheet = `
:root { color-scheme: light dark; --bg: light-dark(#f3f2ee, #0e1113); --panel: light-dark(#fff, #15181b); --ink: light-dark(#16191b, #ecebe6); --ink-2: light-dark(#4a5054, #b6babc); --line: light-dark(#dad7cf, #2b3034); --accent: light-dark(#0b6b5d, #6fd3bf); }
* { box-sizing: border-box; }
html { scroll-padding-top: 72px; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 14px/20px "IBM Plex Sans", "Segoe UI", system-ui, sans-serif; }
header { position: sticky; top: 0; background: var(--bg); border-bottom: 1px solid var(--line); }
header div { display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: center; min-height: 56px; max-width: 1376px; margin: 0 auto; padding: 0 32px; }
header a { color: var(--ink-2); text-decoration: none; font-weight: 500; }
header a:first-child { color: var(--ink); font-size: 16px; font-weight: 600; }
main { max-width: 1376px; margin: 0 auto; padding: 32px 32px 64px; }
h1 { font-size: 24px; line-height: 32px; margin: 0 0 8px; }
p { max-width: 80ch; color: var(--ink-2); }
section { background: var(--panel); border: 1px solid var(--line); border-radius: 4px; padding: 16px 24px; margin-top: 24px; }
h2 { font-size: 16px; line-height: 24px; margin: 0; }
table { border-collapse: collapse; margin: 16px 0; display: block; overflow-x: auto; font-size: 13px; }
th { color: var(--ink-2); font-weight: 500; }
th, td { text-align: left; vertical-align: top; padding: 6px 16px 6px 0; border-bottom: 1px solid var(--line); }
code { font: 13px ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
a { color: var(--accent); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
main > nav { display: flex; flex-wrap: wrap; gap: 4px 16px; }
@media (max-width: 720px) { header div { padding: 8px 16px; } main { padding: 16px 16px 64px; } section { padding: 16px; } }
`

/** The reference as one page that works offline under a policy that allows nothing but its style sheet. */
export function docsPage(): string {
  const { intro, sections } = reference()
  const links = sections.map(({ title }, i) => `<a href="#s${i}">${inline(title)}</a>`).join('\n')
  const body = sections.map(
    ({ title, paragraphs, tables }, i) =>
      `<section>\n<h2 id="s${i}">${inline(title)}</h2>\n${paragraphs.map((text) => `<p>${inline(text)}</p>`).join('\n')}\n${tables.map(table).join('\n')}\n</section>`,
  )
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice API</title>
<link rel="stylesheet" href="docs.css">
</head>
<body>
<header><div><a href="./">Sluice</a><a href="./">Swap</a><a href="app/explain">Explain</a><a href="app/simulate">Simulate</a><a href="app/prices">Prices</a><a href="app/chains">Chains</a><a href="app/api">API</a></div></header>
<main>
<h1>Sluice API</h1>
<p>${inline(intro)}</p>
<p>Machine-readable: <a href="openapi.json">openapi.json</a>. To try each endpoint with values filled in: <a href="app/api">console</a>.</p>
<nav>${links}</nav>
${body.join('\n')}
</main>
</body>
</html>
`
}

function table({ head, rows, anchors = [] }: Table): string {
  const row = (cells: readonly string[], tag: string, id?: string) =>
    `<tr${id === undefined ? '' : ` id="${id}"`}>${cells.map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join('')}</tr>`
  return `<table><thead>${row(head, 'th')}</thead><tbody>${rows.map((cells, k) => row(cells, 'td', anchors[k])).join('\n')}</tbody></table>`
}

function inline(text: string): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
  return escaped.replace(/`([^`]*)`/g, '<code>$1</code>')
}
