/**
 * `npm run audit`: checks production dependencies against the registry's security advisories, and fails on high and
 * critical ones. If the registry does not respond, the check is skipped with the reason, which is a failure in CI.
 */
import { execFile } from 'node:child_process'
import { judgeAudit } from './lib/audit.ts'
import { root } from './lib/run.ts'

const { promise, resolve } = Promise.withResolvers<string>()
// npm exits with 1 both for findings and for a failed request, so only its output distinguishes them.
execFile('npm', ['audit', '--omit=dev', '--json'], { cwd: root, maxBuffer: 64e6 }, (_error, stdout) => resolve(stdout))
const { outcome, lines } = judgeAudit(await promise)
for (const line of lines) console.log(line)
process.exit(outcome === 'failed' || (outcome === 'skipped' && process.env.CI === 'true') ? 1 : 0)
