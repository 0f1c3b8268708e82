/**
 * Build step: makes `swap` load a copy of the known contracts that nothing imports statically. Otherwise esbuild would put the
 * contracts into the entry chunk, because it also imports them statically, even if the page uses none of those exports.
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
