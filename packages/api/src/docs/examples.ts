/** Generates the examples section of docs/api.md from the files in docs/examples, which a test executes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const dir = join(import.meta.dirname, '../../../../docs/examples')

const samples = [
  { title: 'curl', language: 'sh', file: 'swap.sh' },
  { title: 'TypeScript, with `@sluice/client`', language: 'ts', file: 'swap.ts' },
  { title: 'A swap with viem', language: 'ts', file: 'viem.ts' },
  { title: 'A swap with ethers', language: 'ts', file: 'ethers.ts' },
  { title: '`fetch` alone', language: 'js', file: 'fetch.mjs' },
  { title: 'Python', language: 'python', file: 'swap.py' },
] as const

const intro = `## Examples

The files are in \`docs/examples/\`. \`npm start\` prints commands with real addresses for the local chain.
\`swap()\` of the client does all steps of a swap: it sends an approval if one is needed, requests a new quote if the
old one has expired, and sends the transaction. It works with wallets of viem, ethers and EIP-1193.`

/** Returns the examples section as Markdown. */
export function examples(): string {
  const blocks = samples.map(
    ({ title, language, file }) =>
      `### ${title}\n\n\`\`\`${language}\n${readFileSync(join(dir, file), 'utf8').trimEnd()}\n\`\`\``,
  )
  return [intro, ...blocks].join('\n\n')
}
