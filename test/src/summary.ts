/** Summarizes a test run for `npm test`: reasons for skipped tests, how to run them, and the cost of each file. */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

export type Skip = { readonly reason: string; readonly enable: string; readonly tests: number }
export type FileCost = {
  readonly file: string
  readonly wallMs: number
  readonly cpuMs: number
  readonly tests: number
}
export type Summary = { readonly skips: readonly Skip[]; readonly files: readonly FileCost[] }

type Rule = readonly [pattern: RegExp, reason: string, enable: string]
/** Reasons by file and name of a skipped test. The first match applies. */
const RULES: readonly Rule[] = [
  [/nginx|^test\/rolling/, 'nginx is not installed', 'apt-get install nginx'],
  [/^packages\/bus\/|^test\/scale-out/, 'redis-server is not installed', 'apt-get install redis-server'],
  [/^packages\/web\//, 'no browser is installed', 'apt-get install chromium'],
  [/docker-compose/, 'docker-compose is not installed', 'apt-get install docker-compose'],
  [/promtool/, 'promtool is not installed', 'apt-get install prometheus'],
  [/^scripts\/helm/, 'Helm is not installed', '.ci/run, which installs it on x86_64'],
  [/curl \(skipped/, 'curl is not installed', 'apt-get install curl'],
  [/Python \(skipped/, 'python3 is not installed', 'apt-get install python3'],
  [/cvc5 is not installed/, 'cvc5 is not installed', 'apt-get install cvc5'],
  [/names no file/, "no file has the family's own code", 'see "Families of files" in bench/README.md'],
]
const OTHER = 'a case of the test does not apply'

/** Returns the reason of a skipped test: its tag `long`, its own note, or the first matching rule. */
export function reasonOf(file: string, name: string, note?: string, tags: readonly string[] = []): Omit<Skip, 'tests'> {
  if (tags.includes('long')) return { reason: 'it belongs to the long profile', enable: 'npm test -- --long' }
  if (note) return { reason: note, enable: `see ${file}` }
  const rule = RULES.find(([pattern]) => pattern.test(file) || pattern.test(name))
  return rule ? { reason: rule[1], enable: rule[2] } : { reason: OTHER, enable: `see ${file}` }
}

/** Returns one entry per reason with the number of its tests, highest first. */
export function groupSkips(skips: readonly Omit<Skip, 'tests'>[]): readonly Skip[] {
  const counted = new Map<string, Skip>()
  for (const skip of skips) {
    const key = `${skip.reason}\n${skip.enable}`
    counted.set(key, { ...skip, tests: (counted.get(key)?.tests ?? 0) + 1 })
  }
  return [...counted.values()].sort((a, b) => b.tests - a.tests)
}

/** Writes the summary of a run to the file in SUMMARY_FILE. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const path = process.env.SUMMARY_FILE
    if (!path) return
    const skips: Omit<Skip, 'tests'>[] = []
    const files = modules.map((module): FileCost => {
      const file = relative(process.cwd(), module.moduleId)
      let tests = 0
      for (const test of module.children.allTests()) {
        tests++
        const result = test.result()
        if (result.state === 'skipped') skips.push(reasonOf(file, test.fullName, result.note, test.tags))
      }
      const { collectDuration, setupDuration, duration, environmentSetupDuration } = module.diagnostic()
      const wallMs = Math.round(collectDuration + setupDuration + environmentSetupDuration + duration)
      return { file, wallMs, cpuMs: (module.meta() as { cpuMs?: number }).cpuMs ?? 0, tests }
    })
    const summary: Summary = { skips: groupSkips(skips), files: files.sort((a, b) => b.wallMs - a.wallMs) }
    writeFileSync(path, `${JSON.stringify(summary, null, 2)}\n`)
  }
}
