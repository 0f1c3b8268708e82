/**
 * Checks Helm's output of the chart without a cluster: against the schemas of Kubernetes, against the service's
 * settings and endpoints, and for references to missing objects.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@sluice/api'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { type Manifest, mistakesOf } from './lib/kubernetes.ts'
import { root } from './lib/run.ts'

const chart = join(root, 'deploy/helm')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const has = (tool: string) => !spawnSync(tool, ['version']).error

const ALL = {
  rpcUrls: { 1: 'https://node.example/hunter2', 8453: 'https://other.example' },
  secretEnv: { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2' },
  existingSecret: 'elsewhere',
  env: { LOG_LEVEL: 'warn', SHUTDOWN_GRACE_MS: 20_000, COMPATIBLE: 1, CHAINS_DIR: '/chains' },
  extraVolumes: [{ name: 'chains', configMap: { name: 'my-chains' } }],
  extraVolumeMounts: [{ name: 'chains', mountPath: '/chains' }],
  imagePullSecrets: [{ name: 'registry' }],
  ingress: { enabled: true, className: 'nginx', annotations: { a: 'b' }, tlsSecret: 'certificate' },
  service: { annotations: { a: 'b' } },
  gateway: { trustedProxies: ['10.0.0.0/8', 'fd00::/8'] },
  networkPolicy: { from: [{ ipBlock: { cidr: '10.0.0.0/8' } }], egressPorts: [443, 8545] },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  podAnnotations: { a: 'b' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'a', operator: 'Exists' }],
}
const CASES: Readonly<Record<string, object>> = {
  'one process': {},
  'one process, all settings': {
    ...ALL,
    service: { type: 'LoadBalancer' },
    single: { storage: { className: 'fast' } },
  },
  'one process without a disk': { single: { storage: { enabled: false } } },
  several: { redis: { enabled: true } },
  'several, all settings': { ...ALL, redis: { enabled: true, storage: { className: 'fast' } } },
  'several with a Redis elsewhere': { redis: { enabled: true, url: 'rediss://user:hunter2@redis.example:6380' } },
  'several with a Redis in a Secret': { redis: { enabled: true, own: false }, existingSecret: 'elsewhere' },
  'several, a fixed number': { redis: { enabled: true }, workers: { replicas: 2, autoscaling: { enabled: false } } },
}

function helm(command: string, values: object, ...args: readonly string[]) {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-helm-'))
  try {
    writeFileSync(join(dir, 'values.json'), JSON.stringify(values))
    const name = command === 'template' ? ['r'] : []
    const line = [command, ...name, chart, '--values', join(dir, 'values.json'), ...args]
    return spawnSync('helm', line, { encoding: 'utf8', maxBuffer: 1e8 })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function render(values: object): readonly Manifest[] {
  const { status, stdout, stderr } = helm('template', values, '--namespace', 'swaps')
  if (status !== 0) throw new Error(stderr)
  return parseAllDocuments(stdout).flatMap((document) => (document.toJSON() as Manifest | null) ?? [])
}

/** Returns the environment of a pod's container, including the chart's Secrets. */
function environmentOf(pod: Manifest['spec'], all: readonly Manifest[]): Readonly<Record<string, string>> {
  const [{ env, envFrom = [] }] = pod.containers
  const secrets = all.filter(({ kind }) => kind === 'Secret')
  const ownVariables = envFrom.flatMap(
    ({ secretRef }: Manifest) => secrets.find(({ metadata }) => metadata.name === secretRef.name)?.stringData ?? [],
  )
  return Object.assign({}, ...ownVariables, ...env.map(({ name, value }: Manifest) => ({ [name]: value })))
}

const isOf = (labels: Readonly<Record<string, string>>, selector: Readonly<Record<string, string>>) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

describe.skipIf(!has('helm'))('the chart (skipped where Helm is not installed)', () => {
  const cases = Object.entries(CASES).map(([name, values]) => ({ name, values, all: [] as readonly Manifest[] }))
  for (const each of cases) if (has('helm')) Object.assign(each, { all: render(each.values) })

  test.each(cases)('$name: is valid for Helm and Kubernetes', async ({ values, all }) => {
    const { status, stdout } = helm('lint', values, '--strict')
    expect(status, stdout).toBe(0)
    expect(all.length).toBeGreaterThan(5)
    const names = all.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
    for (const manifest of all)
      expect(await mistakesOf(manifest), `${manifest.kind} ${manifest.metadata.name}`).toEqual([])
  })

  const podsOf = (all: readonly Manifest[]) => all.filter(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment')
  const servicesOf = (all: readonly Manifest[]) => all.filter(({ kind }) => kind === 'Service')

  test.each(cases)('$name: no pod has privileges, and each has probes', ({ all }) => {
    for (const { spec: owner } of podsOf(all)) {
      const { spec } = owner.template
      expect(spec).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } })
      for (const container of spec.containers) {
        expect(container.securityContext).toMatchObject({
          ...{ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        })
        expect(container).toMatchObject({ readinessProbe: {}, livenessProbe: {} })
        expect(container.resources.requests).toMatchObject({ cpu: expect.anything(), memory: expect.anything() })
        expect(container.resources.limits).toMatchObject({ memory: expect.anything() })
      }
    }
  })

  test.each(cases)('$name: the service gets only known variables and paths, and time to stop', ({ all }) => {
    const routes = [...read('packages/api/src/app.ts').matchAll(/\.route\('(\/\w+)'\)/g)].map(([, path]) => path)
    const ours = podsOf(all).filter(({ spec }) => spec.template.spec.containers[0].name === 'sluice')
    expect(ours.length).toBeGreaterThan(0)
    for (const { spec: owner } of ours) {
      const { spec } = owner.template
      const [container] = spec.containers
      const environment = environmentOf(spec, all)
      const configSource = read('packages/api/src/config.ts')
      for (const name of Object.keys(environment))
        expect(name.startsWith('RPC_URL_') || configSource.includes(`  ${name}: `), name).toBe(true)
      const isReported =
        'REDIS_URL' in environment ||
        !spec.containers[0].envFrom.some(({ secretRef }: Manifest) => secretRef.name === 'elsewhere')
      const { port, metricsPort, metricsHost, trustProxy, shutdownGraceMs, role } = loadConfig(
        isReported ? environment : { ...environment, REDIS_URL: 'redis://told.elsewhere' },
      )
      expect(container.ports).toEqual([
        { name: 'http', containerPort: port },
        { name: 'metrics', containerPort: metricsPort },
      ])
      expect(metricsHost).toBe('0.0.0.0')
      expect(trustProxy).toBe(1)
      expect(role).toBe(
        { single: 'all', worker: 'worker', indexer: 'indexer' }[
          owner.template.metadata.labels['app.kubernetes.io/component'] as string
        ],
      )
      const pause = Number(/, (\d+)_000\)/.exec(container.lifecycle.preStop.exec.command.at(-1))![1])
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(pause + shutdownGraceMs / 1_000)
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        expect(routes).toContain(container[probe].httpGet.path)
    }
    for (const { spec } of all.filter(({ kind }) => kind === 'ServiceMonitor'))
      expect(spec.endpoints).toMatchObject([{ port: 'metrics', path: '/metrics' }])
  })

  test.each(cases)('$name: referenced objects exist', ({ all }) => {
    const templates = podsOf(all).map(({ spec, metadata }) => ({ ...spec.template, owner: metadata.name }))
    const named = (kindName: string, name: string) =>
      all.some(({ kind, metadata }) => kind === kindName && metadata.name === name)
    const some = (selector: Readonly<Record<string, string>>) =>
      templates.filter(({ metadata }) => isOf(metadata.labels, selector))
    const portsOf = (template: Manifest) =>
      template.spec.containers.flatMap(({ ports }: Manifest) => ports).map(({ name }: Manifest) => name)

    for (const { metadata, spec } of servicesOf(all)) {
      const { 'statefulset.kubernetes.io/pod-name': pod, ...selector } = spec.selector
      const selected = some(selector)
      expect(selected.length, metadata.name).toBe(1)
      for (const { targetPort } of spec.ports) expect(portsOf(selected[0]!)).toContain(targetPort)
      if (pod) expect(pod.replace(/-\d+$/, '')).toBe(selected[0]!.owner)
    }
    for (const { kind, metadata, spec } of podsOf(all)) {
      expect(isOf(spec.template.metadata.labels, spec.selector.matchLabels)).toBe(true)
      if (kind === 'StatefulSet') expect(named('Service', spec.serviceName), metadata.name).toBe(true)
      const claims = (spec.volumeClaimTemplates ?? []).map((claim: Manifest) => claim.metadata.name)
      const volumes = spec.template.spec.volumes.map(({ name }: Manifest) => name)
      for (const container of spec.template.spec.containers) {
        const mounted = container.volumeMounts.map(({ name }: Manifest) => name)
        expect([...claims, ...volumes].toSorted(), metadata.name).toEqual(mounted.toSorted())
        for (const { secretRef } of container.envFrom ?? [])
          expect(secretRef.name === 'elsewhere' || named('Secret', secretRef.name)).toBe(true)
      }
      for (const { configMap } of spec.template.spec.volumes)
        if (configMap) expect(configMap.name === 'my-chains' || named('ConfigMap', configMap.name)).toBe(true)
    }
    for (const { spec } of all.filter(({ kind }) => kind === 'PodDisruptionBudget'))
      expect(some(spec.selector.matchLabels).length).toBe(1)
    for (const { spec } of all.filter(({ kind }) => kind === 'HorizontalPodAutoscaler'))
      expect(named(spec.scaleTargetRef.kind, spec.scaleTargetRef.name)).toBe(true)
    for (const { spec } of all.filter(({ kind }) => kind === 'NetworkPolicy')) {
      expect(some(spec.podSelector.matchLabels).length).toBe(1)
      const peers = [
        ...spec.ingress.flatMap(({ from = [] }: Manifest) => from),
        ...(spec.egress ?? []).flatMap(({ to = [] }: Manifest) => to),
      ]
      for (const { podSelector } of peers) if (podSelector) expect(some(podSelector.matchLabels).length).toBe(1)
    }
    // Every pod has a network policy, and no service is scraped twice.
    const policies = all.filter(({ kind }) => kind === 'NetworkPolicy')
    expect(policies.length).toBe(templates.length)
    for (const { spec } of all.filter(({ kind }) => kind === 'ServiceMonitor')) {
      const [{ values }] = spec.selector.matchExpressions
      const scraped = servicesOf(all).filter(({ metadata }) =>
        values.includes(metadata.labels['app.kubernetes.io/component']),
      )
      expect(
        scraped
          .flatMap(({ spec: { selector } }) => some(selector))
          .map(({ owner }) => owner)
          .toSorted(),
      ).toEqual(
        templates
          .filter(({ spec: { containers } }) => containers[0].name === 'sluice')
          .map(({ owner }) => owner)
          .toSorted(),
      )
    }
  })

  test.each(cases)('$name: metrics are on a port that nginx does not proxy', ({ all }) => {
    const policies = all.filter(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && !/-(gateway|redis)$/.test(metadata.name),
    )
    expect(policies.length).toBeGreaterThan(0)
    for (const { spec } of policies)
      for (const { ports, from } of spec.ingress) {
        const isMonitoring = JSON.stringify(from).includes('namespaceSelector')
        expect(ports).toEqual([{ port: isMonitoring ? 'metrics' : 'http' }])
      }
    for (const { metadata, spec } of servicesOf(all).filter(({ metadata }) =>
      /gateway|-worker-\d+$/.test(metadata.labels['app.kubernetes.io/component'] + metadata.name),
    ))
      expect(
        spec.ports.map(({ name }: Manifest) => name),
        metadata.name,
      ).toEqual(['http'])
    for (const { spec } of all.filter(({ kind }) => kind === 'ServiceMonitor')) {
      const [{ values }] = spec.selector.matchExpressions
      for (const { metadata, spec: service } of servicesOf(all))
        if (values.includes(metadata.labels['app.kubernetes.io/component']))
          expect(service.ports.map(({ name }: Manifest) => name)).toContain('metrics')
    }
  })

  test.each(cases)('$name: secrets are in Secrets', ({ all }) => {
    for (const manifest of all)
      if (manifest.kind !== 'Secret') expect(JSON.stringify(manifest)).not.toContain('hunter2')
  })

  test.each(cases)('$name: nginx has a stable address of every process, and a valid configuration', ({ all }) => {
    const { data } = all.find(({ kind }) => kind === 'ConfigMap')!
    expect(data['nginx.conf'].trim()).toBe(read('deploy/nginx/nginx.conf').trim())
    const [, shipped] = /^server \S+( .*;)$/m.exec(read('deploy/nginx/workers.conf'))!
    const lines = data['workers.conf'].trim().split('\n') as readonly string[]
    const scaler = all.find(({ kind }) => kind === 'HorizontalPodAutoscaler')
    const set = podsOf(all).find(({ metadata }) => /-(single|worker)$/.test(metadata.name))!
    expect(lines.length).toBe(scaler?.spec.maxReplicas ?? set.spec.replicas)
    for (const [i, line] of lines.entries()) {
      const [, host, port, rest] = /^server (\S+):(\d+)( .*)$/.exec(line)!
      expect(rest).toBe(shipped)
      const { spec } = servicesOf(all).find(({ metadata }) => metadata.name === host)!
      expect(spec.clusterIP).toBeUndefined()
      expect(spec.ports[0].port).toBe(Number(port))
      const pod = spec.selector['statefulset.kubernetes.io/pod-name']
      expect(pod).toBe(lines.length > 1 || pod ? `${set.metadata.name}-${i}` : undefined)
    }
    if (spawnSync('nginx', ['-v']).error) return
    const dir = mkdtempSync(join(tmpdir(), 'sluice-nginx-'))
    try {
      mkdirSync(join(dir, 'logs'))
      for (const [name, text] of Object.entries(data as Record<string, string>))
        writeFileSync(
          join(dir, name),
          text.replace(/^server [\w-]+:/gm, 'server 127.0.0.1:').replace('/dev/stdout', join(dir, 'log')),
        )
      const { status, stderr } = spawnSync('nginx', ['-t', '-c', join(dir, 'nginx.conf')], { encoding: 'utf8' })
      expect(status, stderr).toBe(0)
      expect(stderr).not.toContain('[warn]')
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })

  test('its Redis has the persistence of compose.yaml, and its alerts are the tested ones', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as { services: { redis: { command: string[] } } }
    const all = cases.find(({ name }) => name === 'several, all settings')!.all
    const redis = podsOf(all).find(({ metadata }) => metadata.name.endsWith('-redis'))!
    expect(redis.spec.template.spec.containers[0].args).toEqual(services.redis.command)
    expect(all.find(({ kind }) => kind === 'PrometheusRule')!.spec).toEqual(parse(read('deploy/prometheus/rules.yml')))
    const monitor = all.find(({ kind }) => kind === 'ServiceMonitor')!
    expect(monitor.spec.endpoints[0].relabelings).toContainEqual({
      targetLabel: 'job',
      replacement: 'sluice',
      action: 'replace',
    })
  })

  test('settable variables are those that the service reads and the chart does not set', () => {
    const { definitions } = JSON.parse(read('deploy/helm/values.schema.json')) as {
      definitions: { variable: { enum: string[] } }
    }
    const names = [...read('packages/api/src/config.ts').matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name!)
    const own = [
      'PORT',
      'HOST',
      'METRICS_PORT',
      'METRICS_HOST',
      'DATA_DIR',
      'REDIS_URL',
      'ROLE',
      'TRUST_PROXY',
      'DOCS_DIR',
      'WEB_DIR',
      'LOCAL_CHAIN_FILE',
    ]
    expect(definitions.variable.enum.toSorted()).toEqual(names.filter((name) => !own.includes(name)).toSorted())
  })

  test.each([
    ['a variable that nobody reads', { env: { LOGLEVEL: 'warn' } }, 'LOGLEVEL'],
    ['a variable of the chart', { env: { ROLE: 'worker' } }, 'ROLE'],
    ['a value that nobody reads', { redis: { enable: true } }, 'enable'],
    ['a node that is no address', { rpcUrls: { 1: 'node.example' } }, 'rpcUrls'],
    ['a chain that is no number', { rpcUrls: { mainnet: 'https://node.example' } }, 'mainnet'],
    ['a Redis that is no address', { redis: { enabled: true, url: 'redis.example:6379' } }, 'url'],
    [
      'a proxy that would be another directive',
      { gateway: { trustedProxies: ['10.0.0.0/8; return 200'] } },
      'trustedProxies',
    ],
    ['no Redis at all', { redis: { enabled: true, own: false } }, 'redis.url or existingSecret'],
  ])('refuses %s', (_, values, named) => {
    const { status, stderr } = helm('template', values)
    expect(status).not.toBe(0)
    expect(stderr).toContain(named)
  })

  test('an invalid object is detected', async () => {
    const sound = cases[0]!.all.find(({ kind }) => kind === 'StatefulSet')!
    const broken = (change: (spec: Manifest['spec']) => void) => {
      const copy = structuredClone(sound)
      change(copy.spec)
      return mistakesOf(copy)
    }
    expect(await broken(() => {})).toEqual([])
    expect(await broken((spec) => Object.assign(spec, { replica: 1 }))).toEqual(['/spec/replica is no field'])
    expect(
      await broken(({ template }) => Object.assign(template.spec.containers[0].readinessProbe.httpGet, { pth: '/' })),
    ).toEqual(['/spec/template/spec/containers/0/readinessProbe/httpGet/pth is no field'])
    expect(await broken((spec) => Object.assign(spec, { replicas: 'one' }))).toEqual([
      expect.stringContaining('replicas'),
    ])
    expect(await broken((spec) => Object.assign(spec, { selector: undefined }))).toEqual([
      expect.stringContaining('selector'),
    ])
  })
})
