/**
 * `npm run audit`: known weaknesses of what runs in service, from the registry's advisories; fails on high and critical
 * ones. A registry that does not answer means skipped, with the reason, and is a failure in CI.
 */
import { execFile } from 'node:child_process'
import { judgeAudit } from './lib/audit.ts'
import { root } from './lib/run.ts'

const { promise, resolve } = Promise.withResolvers<string>()
// npm ends with 1 both when it finds something and when it cannot ask: what it prints tells them apart.
execFile('npm', ['audit', '--omit=dev', '--json'], { cwd: root, maxBuffer: 64e6 }, (_error, stdout) => resolve(stdout))
const { outcome, lines } = judgeAudit(await promise)
for (const line of lines) console.log(line)
process.exit(outcome === 'failed' || (outcome === 'skipped' && process.env.CI === 'true') ? 1 : 0)
