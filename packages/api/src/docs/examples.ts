/** Generates the examples of docs/api.md from the files of docs/examples, which a test runs. */
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

The files stand in \`docs/examples/\`. \`npm start\` prints lines for the local chain with real addresses.
\`swap()\` of the client does the rest of a swap by the rules of the interface: it approves where that is needed, asks again
when the quote is too old, and sends; wallets of viem, ethers and EIP-1193 fit.`

/** Returns the section with all examples as Markdown. */
export function examples(): string {
  const blocks = samples.map(
    ({ title, language, file }) =>
      `### ${title}\n\n\`\`\`${language}\n${readFileSync(join(dir, file), 'utf8').trimEnd()}\n\`\`\``,
  )
  return [intro, ...blocks].join('\n\n')
}
