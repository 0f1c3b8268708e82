/** Writes src/guards.ts from `deployments/`; part of the build, and a test holds the committed file to it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadRegistry } from '@sluice/chains'

/** The module's text. */
export function guardsModule(): string {
  const chains = new Map<string, number[]>()
  for (const { ChainID, RouterAddress } of Object.values(loadRegistry().chainMap()))
    chains.set(RouterAddress, [...(chains.get(RouterAddress) ?? []), Number(ChainID)])
  const rows = [...chains].sort(([a], [b]) => (a < b ? -1 : 1))
  const line = ([address, ids]: [string, number[]]) => {
    const list = ids.sort((a, b) => a - b).join(' ')
    // As Biome breaks lines.
    return `  '${address}':${list.length > 66 ? '\n   ' : ''} '${list}',`
  }
  return `/** Made from \`deployments/\` by the build; not edited. Chain ids by the address of their Guard. */
export const chainsByGuard: Readonly<Record<string, string>> = {
${rows.map(line).join('\n')}
}
`
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../src/chains-by-guard.ts'), guardsModule())
