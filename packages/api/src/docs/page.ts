import { reference, type Table } from './markdown.ts'

/** The only style the page loads; it loads no script, font or image. */
export const styleSheet = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 3rem; border-bottom: 1px solid #8886; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8883; }
code { font: 14px ui-monospace, monospace; }
nav a { display: inline-block; margin-right: 1rem; }
`

/** The reference as one page that works offline under a policy that allows nothing but its style sheet. */
export function docsPage(): string {
  const { intro, sections } = reference()
  const links = sections.map(({ title }, i) => `<a href="#s${i}">${inline(title)}</a>`).join('\n')
  const body = sections.map(
    ({ title, paragraphs, tables }, i) =>
      `<h2 id="s${i}">${inline(title)}</h2>\n${paragraphs.map((text) => `<p>${inline(text)}</p>`).join('\n')}\n${tables.map(table).join('\n')}`,
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
<h1>Sluice API</h1>
<p>${inline(intro)}</p>
<p>Machine-readable: <a href="openapi.json">openapi.json</a></p>
<nav>${links}</nav>
${body.join('\n')}
</body>
</html>
`
}

function table({ head, rows }: Table): string {
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join('')}</tr>`
  return `<table><thead>${row(head, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('\n')}</tbody></table>`
}

function inline(text: string): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
  return escaped.replace(/`([^`]*)`/g, '<code>$1</code>')
}
