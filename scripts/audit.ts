/**
 * `npm run audit`: known weaknesses of what runs in service, from the registry's advisories; fails on high and critical
 * ones. A registry that does not answer means not audited, which is said, and is a failure in CI.
 */
import { execFile } from 'node:child_process'
import { root } from './lib/run.ts'

type Report = {
  readonly message?: string
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> }
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>
}

const { promise, resolve } = Promise.withResolvers<string>()
// npm ends with 1 both when it finds something and when it cannot ask: what it prints tells them apart.
execFile('npm', ['audit', '--omit=dev', '--json'], { cwd: root, maxBuffer: 64e6 }, (_error, stdout) => resolve(stdout))
const report = parse(await promise)

if (!report.metadata) {
  console.error(`Not audited: ${report.message ?? 'npm audit gave no report'}`)
  process.exit(process.env.CI === 'true' ? 1 : 0)
}
const serious = Object.entries(report.vulnerabilities ?? {}).filter(([, { severity }]) =>
  ['high', 'critical'].includes(severity),
)
for (const [name, { severity, range }] of serious) console.error(`${severity}: ${name} ${range}`)
console.log(`Audited: ${JSON.stringify(report.metadata.vulnerabilities)}`)
process.exit(serious.length === 0 ? 0 : 1)

function parse(text: string): Report {
  try {
    return JSON.parse(text) as Report
  } catch {
    return {}
  }
}
