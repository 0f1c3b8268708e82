/**
 * `/llms.txt` and `/llms-full.txt`: the interface for language models, the first as an index and the second as the whole reference.
 *
 * @see https://llmstxt.org
 */
import { asMarkdown, reference } from './markdown.ts'

const SWAP = [
  'Ask `GET /aggregator/{chain_id}?src=…&dst=…&amount=…&from=…&slippage=0.5`; amounts are integers in base units, as strings.',
  'Go on only if the answer has `tx` and `toAmount` is not `0`. Show `minToAmount`, `warnings`, and `priceImpact` to whoever signs.',
  'For ERC-20 input, approve `tx.to` for exactly `fromAmount`, or sign what `/permit/{chain_id}` offers and ask again with `permit`.',
  'Send `tx` unmodified, with a gas limit 20 % above `gasEstimate`, before the head reaches `expiresAtBlock`; else ask again.',
  'Ask `GET /status/{chain_id}/{hash}?toAmount=…` for the outcome.',
]

/** Index: links, the steps of a swap, and a line for each endpoint. */
export function llmsIndex(): string {
  const { intro, sections } = reference()
  const endpoints = sections.filter(({ title }) => /^(GET|POST)/.test(title))
  const lines = endpoints.map(({ title, paragraphs }) => `- \`${title}\`: ${firstSentence(paragraphs[0]!)}`)
  return `${[
    '# Sluice',
    `> ${firstSentence(intro)}`,
    intro,
    '## Reference',
    [
      '- [Reference](llms-full.txt): every endpoint, parameter, field, and error, in Markdown',
      '- [OpenAPI 3.1](openapi.json): the same for machines',
      '- [Chains](chains): chains that are served, with their Guard contracts',
    ].join('\n'),
    '## A swap',
    SWAP.map((step, k) => `${k + 1}. ${step}`).join('\n'),
    '## Endpoints',
    lines.join('\n'),
  ].join('\n\n')}\n`
}

/** The whole reference. */
export function llmsReference(): string {
  const { intro, sections } = reference()
  return `${['# Sluice API', intro, ...sections.map(asMarkdown)].join('\n\n')}\n`
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
}
