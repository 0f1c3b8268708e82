/**
 * Build step: copies the modules with the known contracts, and makes `swap` load the copies. Nothing imports the copies
 * statically, so bundlers leave them out of a page's entry chunk. The originals would be in it, because the package's
 * entry exports them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const dist = join(import.meta.dirname, '../dist/client/src')

/** Copies a module. If a name and a replacement are given, replaces the import of the name. */
function copy(from: string, to: string, ...[name, replacement]: readonly string[]): void {
  const code = readFileSync(join(dist, from), 'utf8')
  if (name && !code.includes(name)) throw new Error(`${from} does not import ${name}`)
  writeFileSync(join(dist, to), name ? code.replaceAll(name, replacement!) : code)
}

copy('known-contracts.js', 'known-contracts-later.js')
copy('contracts-of.js', 'contracts-later.js', './known-contracts.js', './known-contracts-later.js')
copy('swap.js', 'swap.js', './contracts-of.js', './contracts-later.js')
