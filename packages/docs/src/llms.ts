/**
 * Generates `llms.txt` and `llms-full.txt`: an index of the site for language models, and all pages in one file.
 *
 * @see https://llmstxt.org
 */
import { textOfFirstParagraph } from './markdown.ts'
import type { Page } from './pages.ts'

/** Sections that only developers of the project need. The index lists them last, as optional. */
const OPTIONAL_SECTIONS = ['Contribute', 'Decisions']

const INTRO = `# Sluice

> Swap aggregation for EVM chains as a REST API: one request returns the best route over many pools, and a transaction that is ready to submit.

No key, no registration, no fee. Amounts are integers in base units, as strings. Every page is also Markdown, at the addresses below.

## A swap

1. Ask \`GET /aggregator/{chain_id}?src=…&dst=…&amount=…&from=…&slippage=0.5\`.
2. Go on only if the answer has \`tx\`, and \`toAmount\` is not \`0\`. Show \`minToAmount\`, \`warnings\`, and \`priceImpact\` to the person who signs.
3. For ERC-20 input, approve \`tx.to\` for exactly \`fromAmount\`. Or sign an offer of \`/permit/{chain_id}\`, and ask again with \`permit\`.
4. Send \`tx\` unmodified, with a gas limit 20 % above \`gasEstimate\`, before the head reaches \`expiresAtBlock\`. After that, ask again.
5. Ask \`GET /status/{chain_id}/{hash}?toAmount=…\` for the outcome.
`

/** Returns the index, with links relative to the root of the site. */
export function buildLlmsIndex(pages: readonly Page[]): string {
  const sections = [...new Set(pages.map(({ section }) => section))]
  const listOf = (title: string, sectionPages: readonly Page[]) =>
    `## ${title}\n\n${sectionPages.map(lineOf).join('\n')}\n`
  const neededSections = sections.filter((title) => !OPTIONAL_SECTIONS.includes(title))
  const optionalPages = pages.filter(({ section }) => OPTIONAL_SECTIONS.includes(section))
  return [
    INTRO,
    '## Endpoints\n',
    `${endpointListOf(pages)}\n`,
    ...neededSections.map((title) =>
      listOf(
        title,
        pages.filter(({ section }) => section === title),
      ),
    ),
    listOf('Optional', optionalPages),
  ].join('\n')
}

/** Returns all pages, each with its path. Links are relative to their page. */
export function buildLlmsFull(pages: readonly Page[]): string {
  return pages.map(({ path, markdown }) => `<!-- ${path}.md -->\n\n${markdown.trim()}\n`).join('\n')
}

/** Lists the endpoints of the API reference, each with the first sentence of its description. */
function endpointListOf(pages: readonly Page[]): string {
  const api = pages.find(({ path }) => path === 'api')!.markdown
  const sections = [...api.matchAll(/^## ((?:GET|POST)\b.*)\n\n(.*)$/gm)]
  return sections.map(([, title, text]) => `- \`${title}\`: ${/^.*?\.(?= |$)/.exec(text!)?.[0] ?? text}`).join('\n')
}

/** Returns the entry of a page in the index: its link and its first sentence. */
function lineOf({ path, name, markdown }: Page): string {
  const sentence = firstSentence(markdown)
  return `- [${name}](${path}.md)${sentence === '' ? '' : `: ${sentence}`}`
}

function firstSentence(markdown: string): string {
  const text = textOfFirstParagraph(markdown)
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}
