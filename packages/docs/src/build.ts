/**
 * Builds the documentation site: writes each page of `navigation.ts` as static HTML and as Markdown to `dist/`. Links
 * are relative, so that the site works under any path and on any web server.
 *
 * Pages link to the playground, which is the web app of a running service. By default, it is in the folder above the
 * site. For a site without a service, `--service <url>` sets its address.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildLlmsFull, buildLlmsIndex } from './llms.ts'
import { renderMarkdown } from './markdown.ts'
import { imagePath, readSite, root } from './pages.ts'
import { buildSearchIndex } from './search-index.ts'
import { type Assets, pageHtml } from './template.ts'

const dist = join(import.meta.dirname, '../dist')
const { service = '' } = parseArgs({ options: { service: { type: 'string' } } }).values

/** @param path - relative to `dist/` */
function writeOutput(path: string, content: string | Buffer): void {
  const file = join(dist, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

/**
 * Writes a file with a hash of its content in its name, so that caches can keep it forever.
 *
 * @returns the path of the file
 */
function writeAsset(name: string, content: string | Buffer): string {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8)
  const path = `assets/${name.replace('.', `-${hash}.`)}`
  writeOutput(path, content)
  return path
}

const readSource = (path: string) => readFileSync(join(import.meta.dirname, 'site', path), 'utf8')

/**
 * Writes the fonts that the style sheet uses.
 *
 * @returns the style sheet, with the paths of the written fonts
 */
function writeFonts(): string {
  const require = createRequire(import.meta.url)
  return readSource('site.css').replace(/url\("(@fontsource\/[^"]+)"\)/g, (_, font: string) => {
    const path = writeAsset(font.split('/').at(-1)!, readFileSync(require.resolve(font)))
    return `url("${path.replace('assets/', '')}")`
  })
}

/** Writes the files that all pages load. The search module imports a local copy of its library. */
function writeAssets(searchIndexJson: string): Assets {
  const library = readFileSync(fileURLToPath(import.meta.resolve('minisearch')), 'utf8')
  const minisearch = writeAsset('minisearch.js', library.replace(/^\/\/# sourceMappingURL=.*$/m, ''))
  const search = stripTypeScriptTypes(readSource('search.ts')).replace(
    "'minisearch'",
    `'./${minisearch.replace('assets/', '')}'`,
  )
  return {
    icon: writeAsset('icon.svg', readFileSync(join(root, 'packages/web/public/app/icon.svg'))),
    style: writeAsset('site.css', writeFonts()),
    script: writeAsset('site.js', stripTypeScriptTypes(readSource('site.ts'))),
    search: writeAsset('search.js', search),
    index: writeAsset('index.json', searchIndexJson),
  }
}

rmSync(dist, { recursive: true, force: true })
const { pages, images } = readSite()
const renderedPages = pages.map((page) => ({ ...page, rendered: renderMarkdown(page.markdown, page.title) }))
const assets = writeAssets(buildSearchIndex(renderedPages))
for (const [k, page] of pages.entries()) {
  writeOutput(`${page.path}.html`, pageHtml(page, renderedPages[k]!.rendered, pages, assets, service))
  writeOutput(`${page.path}.md`, page.markdown)
}
for (const image of images) {
  mkdirSync(dirname(join(dist, imagePath(image))), { recursive: true })
  copyFileSync(join(root, image), join(dist, imagePath(image)))
}
writeOutput('llms.txt', buildLlmsIndex(pages))
writeOutput('llms-full.txt', buildLlmsFull(pages))
