/**
 * Part of the build: `swap` loads a copy of the known contracts, which nothing imports statically. esbuild puts a module that an
 * entry could also reach statically into the first file, even when the page uses no export of it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const dist = join(import.meta.dirname, '../dist/client/src')

function copy(from: string, to: string, ...[name, replacement]: readonly string[]): void {
  const code = readFileSync(join(dist, from), 'utf8')
  if (name && !code.includes(name)) throw new Error(`${from} does not import ${name}`)
  writeFileSync(join(dist, to), name ? code.replaceAll(name, replacement!) : code)
}

copy('known-contracts.js', 'known-contracts-later.js')
copy('contracts-of.js', 'contracts-later.js', './known-contracts.js', './known-contracts-later.js')
copy('swap.js', 'swap.js', './contracts-of.js', './contracts-later.js')
