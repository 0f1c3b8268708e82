/** Tests the examples in docstrings of the published packages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './lib/run.ts'

test.each(['client', 'react'])('every exported value of %s has an example', (name) => {
  const folder = join(root, 'packages', name, 'src')
  const source = readFileSync(join(folder, 'index.ts'), 'utf8')
  const values = [...source.matchAll(/export \{([^}]+)\} from '\.\/([\w-]+)\.ts'/g)].flatMap(([, names, file]) =>
    names!
      .split(',')
      .map((each) => ({ file: join(folder, `${file}.ts`), value: each.trim() }))
      .filter(({ value }) => value !== '' && !value.startsWith('type ')),
  )
  expect(values.length).toBeGreaterThan(5)
  const missing = values.filter(({ file, value }) => {
    const form = `@example(?:(?!\\*/)[\\s\\S])*\\*/\\nexport (async )?(function|class|const) ${value}\\b`
    return !new RegExp(form).test(readFileSync(file, 'utf8'))
  })
  expect(missing).toEqual([])
})
