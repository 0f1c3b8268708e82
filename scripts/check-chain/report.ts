/** Formats findings. */
import type { Finding, Status } from './finding.ts'

const MARK: Readonly<Record<Status, string>> = { pass: 'pass   ', fail: 'FAIL   ', unknown: 'unknown' }

export function table(findings: readonly Finding[]): string {
  const width = Math.min(40, Math.max(...findings.map(({ check }) => check.length)))
  return findings.map(({ check, status, detail }) => `${MARK[status]}  ${check.padEnd(width)}  ${detail}`).join('\n')
}

export function tally(findings: readonly Finding[]): string {
  const count = (status: Status) => findings.filter((finding) => finding.status === status).length
  return `${count('pass')} pass, ${count('fail')} fail, ${count('unknown')} unknown`
}

/** Returns a unified diff of two texts with equally many lines. Corrections only change values, and each entry is one line. */
export function patch(path: string, before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const hunks = old.flatMap((line, k) => (line === now[k] ? [] : [`@@ -${k + 1} +${k + 1} @@\n-${line}\n+${now[k]}`]))
  return hunks.length === 0 ? '' : `--- a/${path}\n+++ b/${path}\n${hunks.join('\n')}\n`
}
