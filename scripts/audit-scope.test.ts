import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scope } from './audit-scope.ts'
import { root } from './lib/run.ts'

test('the scope of an audit names the sources as they are', () => {
  expect(readFileSync(join(root, 'docs/audit/scope.md'), 'utf8'), 'stale: npm run audit:scope').toBe(scope())
})
