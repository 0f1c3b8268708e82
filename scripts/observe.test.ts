/** Tests the dashboards and alerts: every query uses an exported metric with its labels, and every alert fires when it should. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMetrics } from '@sluice/api'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from './lib/run.ts'

type Rule = { readonly alert: string; readonly expr: string; readonly annotations: { readonly runbook: string } }
type Panel = { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }

const read = (file: string) => readFileSync(join(root, 'deploy', file), 'utf8')
const rules = (parse(read('prometheus/rules.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
)
const dashboard = JSON.parse(read('grafana/dashboards/sluice.json')) as { panels: Panel[] }
const queries = [
  ...rules.map(({ alert, expr }) => ({ where: `alert ${alert}`, expr })),
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: `panel ${title}`, expr })),
  ),
  ...[...read('prometheus/rules.test.yml').matchAll(/series: '([^']+)'/g)].map(([, expr]) => ({
    where: 'a test of rules',
    expr: expr!,
  })),
]

/** Labels that Prometheus adds, and labels of its own series. */
const OF_ALL = ['instance', 'job']
const OWN: Readonly<Record<string, readonly string[]>> = { up: [], ALERTS: ['alertname', 'alertstate'] }
const exported = new Map<string, readonly string[]>(Object.entries(OWN))
for (const metric of createMetrics().registry.getMetricsAsArray()) {
  const { name, type, labelNames } = metric as unknown as { name: string; type: string; labelNames: readonly string[] }
  const series = type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
  for (const seriesName of series) exported.set(seriesName, type === 'histogram' ? [...labelNames, 'le'] : labelNames)
}

/** Returns the series in a query with the labels that select them. */
function seriesOf(expr: string): readonly { readonly name: string; readonly labels: readonly string[] }[] {
  return [...expr.matchAll(/\b(sluice_\w+|up|ALERTS)\b(?:\{([^}]*)\})?/g)].map(([, name, matchers = '']) => ({
    name: name!,
    labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!=|!~|=)\s*"/g)].map(([, label]) => label!),
  }))
}

test('the queries are found', () => {
  expect(rules.length).toBeGreaterThan(10)
  expect(queries.length).toBeGreaterThan(80)
})

test.each(queries)('$where: $expr', ({ expr }) => {
  const series = seriesOf(expr)
  expect(series.length).toBeGreaterThan(0)
  for (const { name, labels } of series) {
    const exportedLabels = exported.get(name)
    expect(exportedLabels, `${name} is not exported`).toBeDefined()
    for (const label of labels)
      expect([...exportedLabels!, ...OF_ALL], `${name} has no label ${label}`).toContain(label)
  }
})

test('a query of a metric that is not exported is detected', () => {
  expect(seriesOf('rate(sluice_nothing_total{chain="1"}[5m])')).toEqual([
    { name: 'sluice_nothing_total', labels: ['chain'] },
  ])
  expect(exported.has('sluice_nothing_total')).toBe(false)
})

test.each(rules)('$alert has an entry in the runbook, and a test', ({ alert, annotations }) => {
  const [file, anchor] = annotations.runbook.split('#')
  const headings = [...readFileSync(join(root, file!), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading)
  expect(headings).toContain(alert)
  expect(anchor).toBe(alert.toLowerCase())
  expect(read('prometheus/rules.test.yml')).toContain(`alertname="${alert}"`)
})

test('Grafana finds its dashboard and data sources at the configured paths', () => {
  const compose = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, { volumes: string[]; environment: Record<string, string> }>
  }
  const { volumes, environment } = compose.services.grafana!
  expect(volumes).toContain('./deploy/grafana:/etc/sluice:ro')
  expect(environment.GF_PATHS_PROVISIONING).toBe('/etc/sluice/provisioning')
  expect(read('grafana/provisioning/dashboards/sluice.yml')).toContain('path: /etc/sluice/dashboards')
  const { datasources } = parse(read('grafana/provisioning/datasources/sources.yml')) as {
    datasources: { uid: string; url: string }[]
  }
  const uids = new Set(JSON.stringify(dashboard).match(/(?<="uid":")[^"]+(?="\})/g))
  for (const uid of uids) expect(datasources.map((source) => source.uid)).toContain(uid)
  for (const { url } of datasources) expect(Object.keys(compose.services)).toContain(new URL(url).hostname)
})

describe.skipIf(spawnSync('promtool', ['--version']).error)('promtool (skipped where it is not installed)', () => {
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
    return { status, output: stdout + stderr }
  }
  const path = (file: string) => join(root, 'deploy/prometheus', file)

  test('accepts the configuration and the rules, and each alert fires only for its cause', () => {
    for (const args of [
      ['check', 'config', path('prometheus.yml')],
      ['test', 'rules', path('rules.test.yml')],
    ]) {
      const { status, output } = promtool(...args)
      expect(status, output).toBe(0)
    }
  })

  test('can parse every query of the dashboard', () => {
    const dir = mkdtempSync(join(tmpdir(), 'sluice-rules-'))
    try {
      const exprs = dashboard.panels.flatMap(({ targets = [] }) =>
        targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$chain', '.*')),
      )
      const file = join(dir, 'rules.json')
      const asRules = exprs.map((expr, k) => ({ record: `query:${k}`, expr }))
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: asRules }] }))
      const { status, output } = promtool('check', 'rules', file)
      expect(status, output).toBe(0)
      expect(output).toContain(`${exprs.length} rules found`)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})
