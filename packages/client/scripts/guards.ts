/** Writes src/guards.ts from `deployments/`; part of the build, and a test holds the committed file to it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/** The module's text. */
export function guardsModule(): string {
  const chains = new Map<string, number[]>()
  for (const name of readdirSync(join(root, 'deployments'))) {
    if (!/^\d+\.json$/.test(name)) continue
    const { chainId, guard } = JSON.parse(readFileSync(join(root, 'deployments', name), 'utf8'))
    chains.set(guard.address, [...(chains.get(guard.address) ?? []), chainId])
  }
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
