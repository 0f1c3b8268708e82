/**
 * Reporter of vitest that writes a summary of a test run for `npm test`. By file, it has the results, the costs, and
 * the skipped tests with reasons and instructions to run them.
 */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule, TestRunEndReason, TestState, Vitest } from 'vitest/node'

export type Skip = { readonly reason: string; readonly enable: string; readonly tests: number }
export type FileCost = {
  readonly file: string
  readonly wallMs: number
  readonly cpuMs: number
  readonly tests: number
}
/** Result of a file. `isComplete` is true if the file was loaded and each of its tests passed or was skipped. */
export type FileResult = {
  readonly file: string
  readonly isComplete: boolean
  readonly passed: number
  readonly failed: number
  readonly skips: readonly Skip[]
}
export type Summary = {
  readonly results: readonly FileResult[]
  readonly files: readonly FileCost[]
  /** True if nothing failed outside of tests, and the run was not interrupted. */
  readonly isComplete: boolean
}

type Rule = readonly [pattern: RegExp, reason: string, enable: string]
/** Reasons by a pattern of the file or the name of a skipped test. The first match applies. */
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
const OTHER_REASON = 'a case of the test does not apply'

/**
 * Returns the reason why a test was skipped: the long profile, the test's own note, or the first matching rule.
 *
 * @param isLeftOut - true if the run leaves out the test by its tags
 */
export function reasonOf(file: string, name: string, note?: string, isLeftOut = false): Omit<Skip, 'tests'> {
  if (isLeftOut) return { reason: 'it belongs to the long profile', enable: 'npm test -- --long' }
  if (note) return { reason: note, enable: `see ${file}` }
  const rule = RULES.find(([pattern]) => pattern.test(file) || pattern.test(name))
  return rule ? { reason: rule[1], enable: rule[2] } : { reason: OTHER_REASON, enable: `see ${file}` }
}

/**
 * Sums the entries of each reason. Returns the reason with the most tests first. An entry without `tests` is one test.
 */
export function groupSkips(skips: readonly (Omit<Skip, 'tests'> & Partial<Skip>)[]): readonly Skip[] {
  const skipByReason = new Map<string, Skip>()
  for (const skip of skips) {
    const key = `${skip.reason}\n${skip.enable}`
    skipByReason.set(key, { ...skip, tests: (skipByReason.get(key)?.tests ?? 0) + (skip.tests ?? 1) })
  }
  return [...skipByReason.values()].sort((a, b) => b.tests - a.tests)
}

/** Writes the summary of a run to the file that the variable SUMMARY_FILE names. */
export default class SummaryReporter implements Reporter {
  #hasTagsFilter = false

  onInit({ config }: Vitest): void {
    this.#hasTagsFilter = (config.tagsFilter ?? []).length > 0
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    const path = process.env.SUMMARY_FILE
    if (!path) return
    const summary: Summary = {
      results: modules.map((module) => resultOf(module, this.#hasTagsFilter)),
      files: modules.map(costOf).sort((a, b) => b.wallMs - a.wallMs),
      isComplete: unhandledErrors.length === 0 && reason !== 'interrupted',
    }
    writeFileSync(path, `${JSON.stringify(summary, null, 2)}\n`)
  }
}

function resultOf(module: TestModule, hasTagsFilter: boolean): FileResult {
  const file = fileOf(module)
  const tests = [...module.children.allTests()]
  const inState = (state: TestState) => tests.filter((test) => test.result().state === state)
  const skips = inState('skipped').map((test) => {
    const result = test.result()
    const isLeftOut = hasTagsFilter && test.tags.includes('long')
    return reasonOf(file, test.fullName, result.state === 'skipped' ? result.note : undefined, isLeftOut)
  })
  const passed = inState('passed').length
  const isComplete = ['passed', 'skipped'].includes(module.state()) && passed + skips.length === tests.length
  return { file, isComplete, passed, failed: inState('failed').length, skips: groupSkips(skips) }
}

function costOf(module: TestModule): FileCost {
  const { collectDuration, setupDuration, duration, environmentSetupDuration } = module.diagnostic()
  const wallMs = Math.round(collectDuration + setupDuration + environmentSetupDuration + duration)
  const { cpuMs = 0 } = module.meta() as { cpuMs?: number }
  return { file: fileOf(module), wallMs, cpuMs, tests: [...module.children.allTests()].length }
}

const fileOf = ({ moduleId }: TestModule) => relative(process.cwd(), moduleId)
