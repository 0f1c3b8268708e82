/** Formats findings. */
import type { Finding, Status } from './finding.ts'

const STATUS_TEXT: Readonly<Record<Status, string>> = { pass: 'pass   ', fail: 'FAIL   ', unknown: 'unknown' }

export function formatTable(findings: readonly Finding[]): string {
  const width = Math.min(40, Math.max(...findings.map(({ check }) => check.length)))
  return findings
    .map(({ check, status, detail }) => `${STATUS_TEXT[status]}  ${check.padEnd(width)}  ${detail}`)
    .join('\n')
}

export function formatCounts(findings: readonly Finding[]): string {
  const count = (status: Status) => findings.filter((finding) => finding.status === status).length
  return `${count('pass')} pass, ${count('fail')} fail, ${count('unknown')} unknown`
}

/**
 * Returns a unified diff of two texts. Both must have the same number of lines, since corrections only change lines.
 */
export function formatDiff(path: string, before: string, after: string): string {
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')]
  const hunks = oldLines.flatMap((line, i) =>
    line === newLines[i] ? [] : [`@@ -${i + 1} +${i + 1} @@\n-${line}\n+${newLines[i]}`],
  )
  return hunks.length === 0 ? '' : `--- a/${path}\n+++ b/${path}\n${hunks.join('\n')}\n`
}
