/** Evaluates the output of `npm audit --json`. */

type Report = {
  readonly message?: string
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> }
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>
}

export type Verdict = { readonly outcome: 'passed' | 'failed' | 'skipped'; readonly lines: readonly string[] }

/** Returns `failed` for high and critical advisories, and `skipped` (never `passed`) for output without a report. */
export function judgeAudit(auditOutput: string): Verdict {
  const { message, metadata, vulnerabilities = {} } = parse(auditOutput)
  if (!metadata) return { outcome: 'skipped', lines: [`skipped: ${message ?? 'npm audit gave no report'}`] }
  const serious = Object.entries(vulnerabilities).filter(([, { severity }]) => ['high', 'critical'].includes(severity))
  const outcome = serious.length === 0 ? 'passed' : 'failed'
  const namedVulnerabilities = serious.map(([name, { severity, range }]) => `${severity}: ${name} ${range}`)
  return { outcome, lines: [...namedVulnerabilities, `${outcome}: ${JSON.stringify(metadata.vulnerabilities)}`] }
}

function parse(text: string): Report {
  try {
    return JSON.parse(text) as Report
  } catch {
    return {}
  }
}
