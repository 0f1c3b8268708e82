/** Tests of how `npm audit` output is judged. */
import { expect, test } from 'vitest'
import { judgeAudit } from './audit.ts'

const report = (severity: string) =>
  JSON.stringify({
    vulnerabilities: { lib: { severity, range: '<1.2.3' } },
    metadata: { vulnerabilities: { [severity]: 1, total: 1 } },
  })

test('high and critical advisories fail, by name', () => {
  for (const severity of ['high', 'critical']) {
    const { outcome, lines } = judgeAudit(report(severity))
    expect(outcome).toBe('failed')
    expect(lines[0]).toBe(`${severity}: lib <1.2.3`)
  }
})

test('lower advisories pass, and are counted', () => {
  expect(judgeAudit(report('moderate'))).toEqual({ outcome: 'passed', lines: ['passed: {"moderate":1,"total":1}'] })
})

test('an audit error of the registry is reported as skipped, and so is a missing report', () => {
  const refused = JSON.stringify({ message: '405 Method Not Allowed', method: 'POST' })
  expect(judgeAudit(refused)).toEqual({ outcome: 'skipped', lines: ['skipped: 405 Method Not Allowed'] })
  for (const text of ['', 'npm error', '{}']) expect(judgeAudit(text).outcome).toBe('skipped')
})
