/**
 * Renders the pages of `navigation.ts` to static HTML and Markdown files in `dist/`. Links are relative, so that the
 * site works under any path and on any web server.
 *
 * `--service <url>` is the address of a service with a playground, for a standalone site. By default the service is the
 * folder above the site.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { llmsFull, llmsIndex } from './llms.ts'
import { render } from './markdown.ts'
import { imagePath, readSite, root } from './pages.ts'
import { searchIndex } from './search-index.ts'
import { type Assets, pageHtml } from './template.ts'

const dist = join(import.meta.dirname, '../dist')
const { service = '' } = parseArgs({ options: { service: { type: 'string' } } }).values

function write(path: string, content: string | Buffer): void {
  const file = join(dist, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

/**
 * Writes a file with a hash of its content in its name, so that caches can keep it forever.
 *
 * @returns the path of the file
 */
function asset(name: string, content: string | Buffer): string {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8)
  const path = `assets/${name.replace('.', `-${hash}.`)}`
  write(path, content)
  return path
}

const source = (path: string) => readFileSync(join(import.meta.dirname, 'site', path), 'utf8')

/**
 * Copies the fonts that the style sheet uses, and replaces their paths in it.
 *
 * @returns the style sheet
 */
function styleSheet(): string {
  const require = createRequire(import.meta.url)
  return source('site.css').replace(/url\("(@fontsource\/[^"]+)"\)/g, (_, font: string) => {
    const path = asset(font.split('/').at(-1)!, readFileSync(require.resolve(font)))
    return `url("${path.replace('assets/', '')}")`
  })
}

function assets(index: string): Assets {
  const library = readFileSync(fileURLToPath(import.meta.resolve('minisearch')), 'utf8')
  const minisearch = asset('minisearch.js', library.replace(/^\/\/# sourceMappingURL=.*$/m, ''))
  const search = stripTypeScriptTypes(source('search.ts')).replace(
    "'minisearch'",
    `'./${minisearch.replace('assets/', '')}'`,
  )
  return {
    icon: asset('icon.svg', readFileSync(join(root, 'packages/web/public/app/icon.svg'))),
    style: asset('site.css', styleSheet()),
    script: asset('site.js', stripTypeScriptTypes(source('site.ts'))),
    search: asset('search.js', search),
    index: asset('index.json', index),
  }
}

rmSync(dist, { recursive: true, force: true })
const { pages, images } = readSite()
const renderedPages = pages.map((page) => ({ ...page, rendered: render(page.markdown, page.title) }))
const files = assets(searchIndex(renderedPages))
for (const [k, page] of pages.entries()) {
  write(`${page.path}.html`, pageHtml(page, renderedPages[k]!.rendered, pages, files, service))
  write(`${page.path}.md`, page.markdown)
}
for (const image of images) {
  mkdirSync(dirname(join(dist, imagePath(image))), { recursive: true })
  copyFileSync(join(root, image), join(dist, imagePath(image)))
}
write('llms.txt', llmsIndex(pages))
write('llms-full.txt', llmsFull(pages))
