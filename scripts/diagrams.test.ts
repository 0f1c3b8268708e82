/** Compares the diagram of modules with the packages that it shows. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './lib/run.ts'

type Manifest = { readonly dependencies?: object; readonly devDependencies?: object }

const diagram = readFileSync(join(root, 'docs/understand/modules.md'), 'utf8')
const chains = [...diagram.matchAll(/^ {2}([a-z]+(?: --> [a-z]+(?:\[\([a-z]+\)\])?)+)$/gm)]
const arrows = chains.flatMap(([, chain]) => {
  const names = chain!.split(' --> ').map((name) => name.replace(/\[.*/, ''))
  return names.slice(1).map((name, k) => [names[k]!, name] as const)
})

test('the diagram has arrows', () => expect(arrows.length).toBeGreaterThan(15))

test.each(arrows)('%s imports %s', (from, to) => {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, 'packages', from, 'package.json'), 'utf8'))
  // Published packages bundle their imports, so these are devDependencies.
  const imports = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  expect(imports).toContain(`@sluice/${to}`)
})

test('every package is drawn, except for those of tests and traces, and the standalone checker', () => {
  const packages = readdirSync(join(root, 'packages')).filter((name) =>
    existsSync(join(root, 'packages', name, 'package.json')),
  )
  const drawn = new Set(arrows.flat())
  expect(packages.filter((name) => !drawn.has(name)).toSorted()).toEqual(['certificate', 'devnet', 'tracing'])
})
