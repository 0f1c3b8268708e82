/** Compiles this package's own Solidity in `tokens/` and `helpers/`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Artifact } from './artifact.ts'
import { compile } from './solc.ts'

const root = join(import.meta.dirname, '..')

/**
 * Returns every contract by name.
 *
 * @throws DevnetError COMPILE with solc's own messages
 */
export function compileSources(): Record<string, Artifact> {
  const sources = Object.fromEntries(
    ['tokens', 'helpers'].flatMap((folder) =>
      readdirSync(join(root, folder))
        .filter((file) => file.endsWith('.sol'))
        .sort()
        .map((file) => [`${folder}/${file}`, readFileSync(join(root, folder, file), 'utf8')]),
    ),
  )
  return compile({
    compiler: 'solc',
    evmVersion: 'cancun',
    runs: 200,
    sources,
    packages: [
      '@openzeppelin/contracts',
      '@uniswap/v4-core',
      '@balancer-labs/v3-solidity-utils',
      '@balancer-labs/v3-interfaces',
    ],
  })
}
