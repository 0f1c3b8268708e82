/** Tests the dependencies that the published package names. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '..')

test('contains the run-time dependencies of its packages, at their versions, without duplicates', () => {
  const dependencies = (path: string) =>
    (JSON.parse(readFileSync(join(folder, path), 'utf8')) as { dependencies?: Record<string, string> }).dependencies ??
    {}
  const needed = new Map<string, string>()
  const inside = new Set(['api'])
  for (const name of inside)
    for (const [dependency, version] of Object.entries(dependencies(`../${name}/package.json`)))
      if (dependency.startsWith('@sluice/')) inside.add(dependency.slice('@sluice/'.length))
      else needed.set(dependency, version)
  expect(dependencies('package.json')).toEqual(Object.fromEntries(needed))
})
