/** The HTML template of every page: header, menu, text, table of contents, and links to the previous and next page. */
import { dirname, relative } from 'node:path/posix'
import type { RenderedMarkdown } from './markdown.ts'
import { SECTIONS } from './navigation.ts'
import { type Page, sitePath } from './pages.ts'

/** Files that pages load, as paths relative to the root of the site. */
export type Assets = {
  readonly icon: string
  readonly style: string
  readonly script: string
  /** Module of the search. */
  readonly search: string
  /** Search index. */
  readonly index: string
}

const LOGO =
  '<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="M4 2v20M20 2v20" stroke="currentColor" stroke-width="2.5" /><path d="M5 5h14v6H5z" fill="currentColor" /><path class="brand__water" d="M5 16h14M5 20h14" stroke-width="2" /></svg>'

/** @param service - address of the playground; empty if it is in the folder above the site */
export function pageHtml(
  page: Page,
  renderedMarkdown: RenderedMarkdown,
  site: readonly Page[],
  assets: Assets,
  service: string,
): string {
  const pageIndex = site.indexOf(page)
  const root = relative(dirname(`/${page.path}`), '/')
  const linkTo = (path: string) => relative(dirname(`/${page.path}`), `/${path}`)
  const link = (target: Page | undefined, label: string, rel: string) =>
    target
      ? `<a rel="${rel}" href="${linkTo(target.path)}.html"><span>${label}</span> ${escapeText(target.name)}</a>`
      : ''
  const markdownName = `${page.path.split('/').at(-1)}.md`
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>${page.path === 'index' ? 'Sluice documentation' : `${escapeText(page.title)} · Sluice`}</title>
<meta name="description" content="${escapeText(descriptionOf(renderedMarkdown))}" />
<link rel="icon" type="image/svg+xml" href="${linkTo(assets.icon)}" />
<link rel="stylesheet" href="${linkTo(assets.style)}" />
<link rel="alternate" type="text/markdown" href="${markdownName}" />
<script src="${linkTo(assets.script)}" data-root="${root === '' ? './' : `${root}/`}" data-search="${linkTo(assets.search)}" data-index="${linkTo(assets.index)}"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header class="top"><div class="top__in">
<a class="brand" href="${linkTo('index.html')}">${LOGO} Sluice <span class="brand__of">docs</span></a>
<button class="chip menu__open" type="button" popovertarget="menu">Menu</button>
<search class="search"><label class="sr" for="q">Search the documentation</label><input id="q" type="search" placeholder="Search" autocomplete="off" aria-controls="found" /><p class="sr" id="count" role="status"></p><ul id="found" class="found" hidden=""></ul></search>
<div class="top__r"><a class="chip chip--quiet" href="${service === '' ? `${root === '' ? '.' : root}/../` : service}">Playground</a><button class="chip chip--quiet theme" type="button" hidden="">Dark</button></div>
</div></header>
<div class="frame">
<nav class="menu" id="menu" popover="auto" aria-label="Pages">
${menuHtml(page, site, linkTo)}
</nav>
<main id="text" class="text">
${renderedMarkdown.html}<footer class="foot">
<nav class="on" aria-label="Next pages">${link(site[pageIndex - 1], 'Before:', 'prev')}${link(site[pageIndex + 1], 'Next:', 'next')}</nav>
<p><a href="${markdownName}">This page as Markdown</a> · <code>${page.source}</code> in the repository</p>
</footer>
</main>
${contentsHtml(renderedMarkdown)}
</div>
</body>
</html>
`
}

function menuHtml(page: Page, site: readonly Page[], linkTo: (path: string) => string): string {
  const paths = new Set(site.map(({ path }) => path))
  return SECTIONS.map(({ title, pages }) => {
    const items = pages
      .map(([source, name]) => ({ path: sitePath(source), name }))
      .filter(({ path }) => paths.has(path))
      .map(
        ({ path, name }) =>
          `<li><a href="${linkTo(path)}.html"${path === page.path ? ' aria-current="page"' : ''}>${escapeText(name)}</a></li>`,
      )
    const isOpen = title === page.section || ['Start', 'Guides', 'Run', 'Understand', 'Reference'].includes(title)
    return `<details${isOpen ? ' open=""' : ''}><summary>${title}</summary>\n<ul>\n${items.join('\n')}\n</ul>\n</details>`
  }).join('\n')
}

function contentsHtml({ headings }: RenderedMarkdown): string {
  const sections = headings.filter(({ level }) => level === 2)
  if (sections.length < 2) return '<div></div>'
  const links = sections.map(({ id, text }) => `<li><a href="#${id}">${escapeText(text)}</a></li>`)
  return `<nav class="toc" aria-label="On this page"><p>On this page</p>\n<ul>\n${links.join('\n')}\n</ul></nav>`
}

/** Returns the first paragraph as text. */
function descriptionOf({ html }: RenderedMarkdown): string {
  const text = (/<p>(.*?)<\/p>/s.exec(html)?.[1] ?? 'Documentation of Sluice').replace(/<[^>]*>/g, '')
  return text.replace(/\s+/g, ' ').replaceAll('&quot;', '"').replaceAll('&amp;', '&').slice(0, 200)
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
