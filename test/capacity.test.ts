/** Tests of the capacity model. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@sluice/devnet'
import { hasNginx } from '@sluice/system-test/fleet'
import { describe, expect, test } from 'vitest'
import { LOADS, planOf } from '../bench/capacity/plan.ts'
import { Ring } from '../bench/capacity/ring.ts'
import { simulate } from '../bench/capacity/simulate.ts'

describe.each(Object.entries(LOADS))('%s', (name, load) => {
  const plan = planOf(load)

  test('a fleet of the modeled size handles the load', () => {
    const { refused, latencyMs, busy } = simulate(load, plan.workers, 5, 1)
    expect(refused).toBe(0)
    expect(busy.most).toBeLessThan(0.9)
    expect(latencyMs.p99).toBeLessThan(250)
  })

  test('the figures of docs/scaling.md match the model and the committed run', () => {
    const { loads } = JSON.parse(readFileSync(join(import.meta.dirname, '../bench/results/capacity.json'), 'utf8')) as {
      loads: {
        name: string
        plan: { workers: number; indexers: number; cores: number }
        simulated: Pick<ReturnType<typeof simulate>, 'busy'>
      }[]
    }
    const recorded = loads.find((load) => load.name === name)!
    const { workers, indexers, cores } = plan
    expect(recorded.plan).toMatchObject({ workers, indexers, cores })
    const row = readFileSync(join(import.meta.dirname, '../docs/scaling.md'), 'utf8')
      .split('\n')
      .find((line) => line.startsWith(`| ${name} |`))!
    const cells = row.split('|').map((cell) => cell.trim())
    expect(cells.slice(2, 5)).toEqual([String(workers), String(indexers), String(cores)])
    expect(row).toContain(`${Math.round(recorded.simulated.busy.most * 100)} %`)
  })
})

test('half as many workers cannot handle the largest load', () => {
  const load = LOADS['164 × 100,000, 10,000 q/s']!
  const { refused, busy } = simulate(load, planOf(load).workers >> 1, 5, 1)
  expect(refused > 0 || busy.most >= 0.9).toBe(true)
})

test.skipIf(!hasNginx)(
  'the simulation maps keys to processes as nginx does (skipped if nginx is not installed)',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'sluice-ring-'))
    const [port, ...behind] = [await freePort(), await freePort(), await freePort(), await freePort()]
    const names = behind.map((one) => `127.0.0.1:${one}`)
    const places = ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind === 'body' ? 'client_body' : kind}_temp_path ${dir}/${kind};`,
    )
    const config = `pid ${dir}/pid; error_log ${dir}/log; events {} http { access_log off; ${places.join(' ')}
    upstream ring { hash $uri consistent; ${names.map((name) => `server ${name};`).join(' ')} }
    server { listen 127.0.0.1:${port}; location / { proxy_pass http://ring; } }
    ${behind.map((one) => `server { listen 127.0.0.1:${one}; location / { return 200 ${one}; } }`).join('\n')} }`
    writeFileSync(join(dir, 'nginx.conf'), config)
    const nginx = spawn('nginx', ['-c', join(dir, 'nginx.conf'), '-g', 'daemon off; master_process off;'], {
      stdio: 'ignore',
    })
    try {
      const ask = (key: string) =>
        fetch(`http://127.0.0.1:${port}${key}`).then(
          (answer) => answer.text(),
          () => '',
        )
      await expect.poll(() => ask('/')).not.toBe('')
      const ring = new Ring(names)
      for (let key = 0; key < 200; key++)
        expect(await ask(`/${key * key}`)).toBe(String(behind[ring.serverOf(`/${key * key}`)]))
    } finally {
      nginx.kill('SIGTERM')
      await once(nginx, 'exit')
      rmSync(dir, { recursive: true, force: true })
    }
  },
)
