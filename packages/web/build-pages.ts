/** Vite plugin that writes one HTML file per page, with its title, introduction, placeholder, and preload links. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Plugin, Rolldown } from 'vite'
import { type PageName, pages } from './src/pages.ts'

const require = createRequire(import.meta.url)

type Bundle = Rolldown.OutputBundle

/** Source file of each page. The build makes each page a chunk that loads on demand. */
const sourceByPage: Readonly<Record<PageName, string>> = {
  swap: 'SwapPage.tsx',
  explain: 'ExplainPage.tsx',
  simulate: 'SimulatePage.tsx',
  referee: 'RefereePage.tsx',
  prices: 'PricesPage.tsx',
  honesty: 'HonestyPage.tsx',
  chains: 'ChainsPage.tsx',
  api: 'ApiPage.tsx',
}
/** Paths that every page requests before its first render. */
const PRELOADED_PATHS = ['/chains', '/app/local-chain.json']

export function htmlOfPages(): Plugin {
  return {
    name: 'html-of-pages',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const index = bundle['index.html']
      if (index?.type !== 'asset') throw new Error('the build has no index.html')
      const html = String(index.source)
      // Fonts for the preview images that the service draws for links to the app.
      for (const weight of [400, 600]) {
        const path = require.resolve(`@fontsource/ibm-plex-sans/files/ibm-plex-sans-latin-${weight}-normal.woff`)
        this.emitFile({ type: 'asset', fileName: `app/card-${weight}.woff`, source: readFileSync(path) })
      }
      for (const name of Object.keys(pages) as PageName[]) {
        const source = fillTemplate(html, name, bundle)
        if (name === 'swap') index.source = source
        else this.emitFile({ type: 'asset', fileName: `${pages[name].path.slice(1)}.html`, source })
      }
    },
  }
}

function fillTemplate(html: string, name: PageName, bundle: Bundle): string {
  const { path, name: title, lede } = pages[name]
  const textByMark = {
    '<title>Sluice</title>': `<title>${path === '/' ? 'Sluice' : `${title} · Sluice`}</title>`,
    '<!--preload-->': preloadTagsOf(name, bundle).join('\n    '),
    '<!--description-->': lede,
    '<!--skeleton-->': renderSkeleton(name),
  }
  return Object.entries(textByMark).reduce((text, [mark, part]) => {
    if (!text.includes(mark)) throw new Error(`index.html has no ${mark}`)
    return text.replace(mark, () => part)
  }, html)
}

/** Returns HTML tags that start the page's requests and the downloads of its code early. */
function preloadTagsOf(name: PageName, bundle: Bundle): readonly string[] {
  const requestTags = PRELOADED_PATHS.map((path) => `<link rel="preload" as="fetch" crossorigin href="${path}" />`)
  const source = sourceByPage[name]
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
  const page = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${source}`))
  const entry = chunks.find(({ isEntry }) => isEntry)
  if (!page || !entry) throw new Error(`the build has no chunk of ${source}`)
  const loadedFiles = new Set([entry.fileName, ...entry.imports])
  const scripts = [page.fileName, ...page.imports].filter((file) => !loadedFiles.has(file))
  const styles = chunks
    .filter(({ fileName }) => scripts.includes(fileName))
    .flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])])
  return [
    ...requestTags,
    ...scripts.map((file) => `<link rel="modulepreload" crossorigin href="/${file}" />`),
    // The first paint needs the styles of the page.
    ...styles.map((file) => `<link rel="stylesheet" crossorigin href="/${file}" />`),
  ]
}

/** Returns HTML to show until the scripts run: the header, the introduction, and empty panels. */
function renderSkeleton(name: PageName): string {
  const { heading, lede } = pages[name]
  const links = Object.entries(pages).map(([key, { path, name: text }]) => {
    return `<a href="${path}"${key === name ? ' aria-current="page"' : ''}>${text}</a>`
  })
  const body =
    name === 'swap'
      ? `<div class="swap"><div class="swap__side"><section class="panel ticket bone bone--ticket"></section></div><div><section class="panel bone bone--route"></section></div></div>`
      : `<section class="panel bone"></section>`
  return `<header class="top"><div class="top__in"><a class="brand" href="/" aria-label="Sluice, swap"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 2v20M20 2v20" stroke="currentColor" stroke-width="2.5"/><path d="M5 5h14v6H5z" fill="currentColor"/><path class="brand__water" d="M5 16h14M5 20h14" stroke-width="2"/></svg>Sluice</a><nav class="nav" aria-label="Pages">${links.join('')}<a href="/docs">Docs</a></nav><div class="top__r"></div></div></header><main id="main"><div class="lede"><h1>${heading}</h1><p>${lede}<br>Loading…</p></div>${body}</main>`
}
