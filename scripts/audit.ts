/**
 * `npm run audit`: fails if the npm registry has high or critical security advisories about production dependencies. If
 * the registry does not respond, prints the reason and skips the check; in CI this is a failure.
 */
import { execFile } from 'node:child_process'
import { judgeAudit } from './lib/audit.ts'
import { root } from './lib/run.ts'

const { promise, resolve } = Promise.withResolvers<string>()
// npm exits with 1 both for advisories and for a failed request, so the output must distinguish them.
execFile('npm', ['audit', '--omit=dev', '--json'], { cwd: root, maxBuffer: 64e6 }, (_error, stdout) => resolve(stdout))
const { outcome, lines } = judgeAudit(await promise)
for (const line of lines) console.log(line)
process.exit(outcome === 'failed' || (outcome === 'skipped' && process.env.CI === 'true') ? 1 : 0)
