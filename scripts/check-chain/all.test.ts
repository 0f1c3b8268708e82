/** Tests the command with the whole registry and with Ethereum's recorded state. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadRegistry } from '@sluice/chains'
import { NodeProxy, startAnvil, startMainnet } from '@sluice/devnet'
import { expect, test } from 'vitest'
import { checkChain } from './check.ts'

const registry = loadRegistry()

test('--all checks all chains concurrently and reports each one', { tags: 'long', timeout: 120_000 }, async () => {
  const anvil = await startAnvil()
  const dir = mkdtempSync(join(tmpdir(), 'sluice-check-all-'))
  // One node serves all chains. It has none of their contracts, but reports each chain's id.
  let inFlight = 0
  let maxInFlight = 0
  const methods = new Set<string>()
  const proxy = await NodeProxy.start(anvil.url, async ({ method }, path) => {
    if (method !== 'eth_chainId') return undefined
    methods.add(path)
    maxInFlight = Math.max(maxInFlight, ++inFlight)
    await new Promise((resolve) => setTimeout(resolve, 5))
    inFlight--
    return { result: `0x${Number(path.slice(1)).toString(16)}` }
  })
  try {
    const ids = registry.knownIds()
    const env = { ...process.env, ...Object.fromEntries(ids.map((id) => [`RPC_URL_${id}`, `${proxy.url}/${id}`])) }
    const file = join(dir, 'report.json')
    const script = join(import.meta.dirname, '../check-chain.ts')
    const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
      const options = { env, maxBuffer: 1 << 26 }
      execFile(process.execPath, [script, '--all', '--report', file], options, (error, stdout) =>
        resolve({ code: error?.code ?? 0, stdout }),
      )
    })
    expect(code).toBe(1)
    expect(stdout).toMatch(new RegExp(`^${ids.length} chains: \\d+ pass, \\d+ fail, \\d+ unknown$`, 'm'))
    type Row = { chainId: number; findings: { check: string; status: string }[] }
    const report = JSON.parse(readFileSync(file, 'utf8')) as Row[]
    expect(report.map(({ chainId }) => chainId)).toEqual(ids)
    for (const { chainId, findings } of report) {
      const status = (name: string) => findings.find(({ check }) => check === name)?.status
      expect([chainId, status('chain id'), status('state overrides')]).toEqual([chainId, 'pass', 'pass'])
    }
    expect(methods.size).toBe(ids.length)
    expect(maxInFlight).toBeGreaterThan(1)
  } finally {
    await proxy.stop()
    await anvil.stop()
    rmSync(dir, { recursive: true })
  }
})

test('the file of Ethereum matches its recorded state: wrapper, anchors, and the pools of five factories', async () => {
  const anvil = await startMainnet()
  try {
    const findings = await checkChain(registry.chain(1)!, registry.deployment(1), [anvil.url])
    const passedChecks = findings.filter(({ status }) => status === 'pass').map(({ check }) => check)
    expect(passedChecks).toEqual(
      expect.arrayContaining([
        'deposit and withdraw',
        'L1 fee model',
        'CREATE2 deployer',
        ...['anchor USDC', 'anchor USDT', 'anchor DAI', 'token WBTC', 'token stETH'],
        ...['Uniswap V2', 'SushiSwap V2', 'Uniswap V3', 'PancakeSwap V3', 'SushiSwap V3'].map(
          (brand) => `pool address ${brand}`,
        ),
      ]),
    )
    // The recorded state is a part of Ethereum. Missing contracts are absent or read as zero, but never have wrong
    // values.
    const failedDetails = findings.filter(({ status }) => status === 'fail').map(({ detail }) => detail)
    expect(
      failedDetails.filter((detail) => !/no code at|is no token|reports 0 decimals|reports 0/.test(detail)),
    ).toEqual([])
  } finally {
    await anvil.stop()
  }
})
