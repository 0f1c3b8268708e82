/** Renders the Markdown of a page to HTML, with anchors, tabs, diagrams, and scrollable tables. */
import MarkdownIt, { type Token } from 'markdown-it'
import { renderDiagram } from './diagram.ts'
import { highlight } from './highlight.ts'

export type Heading = { readonly level: number; readonly id: string; readonly text: string }
export type RenderedMarkdown = { readonly html: string; readonly headings: readonly Heading[] }

/** Names of the tabs of code blocks, by language. Blocks of other languages do not become tabs. */
const TAB_NAMES: Readonly<Record<string, string>> = { bash: 'curl', ts: 'TypeScript', python: 'Python' }
/** The only HTML tags allowed in pages: anchors in tables, sub- and superscripts of formulas, and line breaks. */
const ALLOWED_HTML = /^<(?:a id="[\w-]+"|\/a|\/?sub|\/?sup|br ?\/?)>/

const markdown = new MarkdownIt({ html: false, linkify: false, xhtmlOut: true })
const { escapeHtml } = markdown.utils

markdown.inline.ruler.before('html_inline', 'allowed_html', (state, silent) => {
  const tag = ALLOWED_HTML.exec(state.src.slice(state.pos))?.[0]
  if (tag === undefined) return false
  if (!silent) state.push('html_inline', '', 0).content = tag.startsWith('<br') ? '<br />' : tag
  state.pos += tag.length
  return true
})

/**
 * Renders a page.
 *
 * @param page - name of the page, used in labels
 */
export function renderMarkdown(source: string, page: string): RenderedMarkdown {
  const withoutComments = source.replace(/^<!--.*?-->$/gms, '')
  const tokens = markdown.parse(withoutComments, {})
  const headings = anchorHeadings(tokens)
  let html = ''
  let plainTokens: Token[] = []
  const renderPlainTokens = () => {
    html += markdown.renderer.render(plainTokens, markdown.options, {})
    plainTokens = []
  }
  for (let k = 0; k < tokens.length; ) {
    const group = codeBlocksFrom(tokens, k)
    if (group.length > 0) {
      renderPlainTokens()
      html += renderCodeBlocks(group, `${page}-${k}`, page)
      k += group.length
    } else {
      plainTokens.push(adaptToken(tokens[k]!))
      k++
    }
  }
  renderPlainTokens()
  return { html: wrapTables(html), headings }
}

/** Changes links to Markdown files into links to pages. */
function adaptToken(token: Token): Token {
  for (const child of token.children ?? []) {
    const href = child.type === 'link_open' ? String(child.attrGet('href')) : undefined
    if (href !== undefined && !/^[a-z]+:/.test(href)) child.attrSet('href', href.replace(/\.md(?=#|$)/, '.html'))
    if (child.type === 'image') child.attrSet('loading', 'lazy')
  }
  return token
}

/** Gives headings the ids that GitHub uses, so that links to sections work on GitHub and on the site. */
function anchorHeadings(tokens: readonly Token[]): Heading[] {
  const counts = new Map<string, number>()
  return tokens.flatMap((token, k) => {
    if (token.type !== 'heading_open') return []
    const text = textOf(tokens[k + 1]!)
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    const id = count === 0 ? slug : `${slug}-${count}`
    token.attrSet('id', id)
    return [{ level: Number(token.tag.slice(1)), id, text }]
  })
}

function textOf(inline: Token): string {
  return (inline.children ?? [])
    .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : type === 'softbreak' ? ' ' : ''))
    .join('')
}

/** Returns the consecutive fenced code blocks that start at the token with index `start`; empty for another token. */
function codeBlocksFrom(tokens: readonly Token[], start: number): Token[] {
  const end = tokens.findIndex((token, k) => k >= start && token.type !== 'fence')
  return tokens.slice(start, end < 0 ? tokens.length : end)
}

/** Renders consecutive code blocks: as tabs if each has a language of its own, otherwise one below the other. */
function renderCodeBlocks(tokens: readonly Token[], id: string, page: string): string {
  const panels: { readonly language: string; readonly blocks: string[] }[] = []
  for (const [k, token] of tokens.entries()) {
    const language = token.info.trim()
    const block = renderCodeBlock(token, language, `${id}-${k}`, page)
    if (language in TAB_NAMES || panels.length === 0) panels.push({ language, blocks: [block] })
    else panels.at(-1)!.blocks.push(block)
  }
  const languages = new Set(panels.map(({ language }) => language))
  const isTabs =
    languages.size > 1 && languages.size === panels.length && [...languages].every((language) => language in TAB_NAMES)
  if (!isTabs) return panels.flatMap(({ blocks }) => blocks).join('')
  const panelElements = panels.map(
    ({ language, blocks }) =>
      `<div class="tab" data-tab="${language}">\n<p class="tab__name">${TAB_NAMES[language]}</p>\n${blocks.join('')}</div>\n`,
  )
  return `<div class="tabs">\n${panelElements.join('')}</div>\n`
}

function renderCodeBlock({ content }: Token, language: string, id: string, page: string): string {
  if (language === 'mermaid') {
    const svg = renderDiagram(content, id.replaceAll(/[^\w-]/g, '-'), escapeHtml(`Diagram: ${page}`))
    return `<figure class="figure" tabindex="0">\n${svg}\n</figure>\n<details class="source"><summary>The diagram as text</summary>\n<pre tabindex="0"><code>${escapeHtml(content)}</code></pre></details>\n`
  }
  const code = highlight(content, language) ?? escapeHtml(content)
  return `<pre tabindex="0"${language ? ` data-language="${escapeHtml(language)}"` : ''}><code>${code}</code></pre>\n`
}

/** Wraps each table in a container that scrolls with the pointer and with the keyboard. */
function wrapTables(html: string): string {
  return html
    .replaceAll('<table>', '<div class="table" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replace(/ style="text-align:(\w+)"/g, ' class="$1"')
}

/** Returns the first paragraph of Markdown without its markup; empty if there is none. */
export function textOfFirstParagraph(source: string): string {
  const tokens = markdown.parse(source, {})
  const paragraphIndex = tokens.findIndex(({ type, level }) => type === 'paragraph_open' && level === 0)
  return paragraphIndex < 0 ? '' : textOf(tokens[paragraphIndex + 1]!)
}
