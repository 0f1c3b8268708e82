/**
 * Checks compose.yaml and its configuration files against the service and installed tools, without a container engine.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@sluice/api'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from './lib/run.ts'

type Service = {
  readonly profiles: readonly string[]
  readonly image: string
  readonly build?: string
  readonly read_only: boolean
  readonly cap_drop: readonly string[]
  readonly security_opt: readonly string[]
  readonly stop_grace_period?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: readonly string[]
  readonly networks?: { readonly default: { readonly ipv4_address?: string } }
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as {
  services: Readonly<Record<string, Service>>
  volumes: Readonly<Record<string, null>>
}
const has = (tool: string) => !spawnSync(tool, ['--version']).error
const of = (profile: string) => Object.keys(services).filter((name) => services[name]!.profiles.includes(profile))
const ours = Object.values(services).filter(({ image }) => image === 'sluice')
const addressOf = (name: string) => services[name]!.networks?.default.ipv4_address

test('each profile starts its documented services', () => {
  expect(of('default')).toEqual(['api'])
  const scale = ['redis', 'indexer-1', 'indexer-2', 'worker-1', 'worker-2', 'worker-3', 'nginx']
  expect(of('scale')).toEqual(scale)
  expect(of('observe')).toEqual(['prometheus', 'grafana', 'jaeger'])
})

test.each(Object.keys(services))(
  '%s has no privileges, writes only to its volumes, and depends only on existing services',
  (name) => {
    const service = services[name]!
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    for (const needed of service.depends_on ?? [])
      expect(service.profiles.filter((profile) => services[needed]!.profiles.includes(profile))).toEqual(
        service.profiles,
      )
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':')
      expect(
        from.startsWith('.') ? existsSync(join(root, from)) && volume.endsWith(':ro') : from in volumes,
        volume,
      ).toBe(true)
    }
  },
)

test('the service gets only known variables, and time to stop', () => {
  const configSource = read('packages/api/src/config.ts')
  for (const { environment, stop_grace_period, build } of ours) {
    const entries = Object.entries(environment!).map(([name, value]) => [
      name,
      value.replace(/^\$\{\w+:-(.*)\}$/, '$1'),
    ])
    for (const [name] of entries)
      expect(name!.startsWith('RPC_URL_') || configSource.includes(`  ${name}: `), name).toBe(true)
    const { shutdownGraceMs, redisUrl } = loadConfig(Object.fromEntries(entries))
    if (redisUrl) expect(Object.keys(services)).toContain(new URL(redisUrl).hostname)
    expect(Number.parseInt(stop_grace_period!, 10) * 1000).toBeGreaterThan(shutdownGraceMs)
    expect(build).toBe('.')
  }
  expect(services.api!.ports).toEqual([`${loadConfig({}).port}:${loadConfig({}).port}`])
})

test('the image names the grace period of the service, because its command has a shorter one', () => {
  expect(read('Dockerfile')).toContain(`SHUTDOWN_GRACE_MS=${loadConfig({}).shutdownGraceMs}`)
})

test('no profile publishes metrics, and Prometheus reads them on the internal network', () => {
  const env = read('Dockerfile')
    .split('\n')
    .filter((line) => line.startsWith('ENV '))
    .flatMap((line) =>
      line
        .slice(4)
        .split(' ')
        .map((pair) => pair.split('=') as [string, string]),
    )
  const { port, metricsPort, metricsHost } = loadConfig(Object.fromEntries(env))
  expect(metricsPort).toBeDefined()
  expect(metricsPort).not.toBe(port)
  expect(metricsHost).toBe('0.0.0.0')
  for (const { environment } of ours) expect(Object.keys(environment!)).not.toContain('METRICS_PORT')
  for (const [name, { ports = [] }] of Object.entries(services))
    for (const published of ports) expect(published.split(':').at(-1), name).not.toBe(String(metricsPort))
  expect(read('Dockerfile')).toMatch(new RegExp(`^EXPOSE ${port}$`, 'm'))
  const { scrape_configs } = parse(read('deploy/prometheus/prometheus.yml')) as {
    scrape_configs: { dns_sd_configs: { port: number }[] }[]
  }
  expect(scrape_configs.flatMap(({ dns_sd_configs }) => dns_sd_configs.map((one) => one.port))).toEqual([metricsPort])
})

test('nginx and the workers know each other by address', () => {
  const workers = of('scale').filter((name) => services[name]!.environment?.ROLE === 'worker')
  const listed = [...read('deploy/nginx/workers.conf').matchAll(/^server (\S+) /gm)].map(([, address]) => address)
  expect(listed).toEqual(workers.map((name) => `${addressOf(name)}:${loadConfig({}).port}`))
  for (const name of workers) expect(services[name]!.environment!.TRUST_PROXY).toBe(addressOf('nginx'))
})

test.skipIf(!has('nginx'))('nginx takes its configuration (skipped where nginx is not installed)', () => {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-nginx-'))
  try {
    cpSync(join(root, 'deploy/nginx'), dir, { recursive: true })
    chmodSync(dir, 0o755)
    // The log is a file, because `/dev/stdout` cannot be opened if it is a socket.
    const { status, stderr } = spawnSync('nginx', ['-t', '-c', join(dir, 'nginx.conf')], {
      encoding: 'utf8',
      stdio: ['ignore', openSync(join(dir, 'log'), 'w'), 'pipe'],
    })
    expect(status, stderr).toBe(0)
    expect(stderr).not.toContain('[warn]')
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

describe.skipIf(!has('docker-compose'))('docker-compose (skipped where it is not installed)', () => {
  test.each(['default', 'scale', 'observe'])('takes the profile %s', (profile) => {
    const { status, stderr } = spawnSync('docker-compose', ['--profile', profile, 'config', '--quiet'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(status, stderr).toBe(0)
    expect(stderr).toBe('')
  })
})
