/** Tests a mutant of the TypeScript encoder. A plugin of vitest breaks the line; the file itself does not change. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EncoderMutant } from '../../contracts/test/mutants.ts'
import { root, run } from '../lib/run.ts'

type Report = {
  readonly numTotalTests: number
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[]
  }[]
}

/** Returns a hash of the broken source and its tests. */
export function fingerprint({ name, file, tests, from, to }: EncoderMutant): string {
  const source = readFileSync(join(root, file), 'utf8')
  if (!source.includes(from)) throw new Error(`"${name}" breaks a line that is not in ${file} any more`)
  const text = JSON.stringify([source, from, to, readFileSync(join(root, tests), 'utf8')])
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Returns the first failed test; empty if all pass. Without a mutation (`from` equals `to`) all tests must pass. */
export async function findFailedTests({ name, file, tests, from, to }: EncoderMutant): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mutant-'))
  const report = join(folder, 'report.json')
  try {
    const config = join(import.meta.dirname, 'vitest.config.ts')
    const args = ['run', '--config', config, '--bail=1', '--reporter=json', `--outputFile=${report}`, tests]
    const mutant = JSON.stringify({ file: join(root, file), from, to })
    const { output } = await run('vitest', args, { quiet: true, env: { ...process.env, MUTANT_OF: mutant } })
    const { numTotalTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
    if (numTotalTests === 0) throw new Error(`the tests did not run against "${name}":\n${output.slice(-2_000)}`)
    return testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === 'failed').map(({ title }) => title),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
