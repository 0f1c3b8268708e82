/** Tests that a chain can be added by following docs/adding-a-chain.md. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ChainFile, loadRegistry, NATIVE } from '@sluice/chains'
import { deployContracts } from '@sluice/contracts'
import { type Anvil, type DevnetInfo, prepareDevnet } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkChain } from '../scripts/check-chain/check.ts'
import { startChainCopy } from './src/copy.ts'
import { Overlay } from './src/overlay.ts'
import { devnetDir, type Service, startService } from './src/service.ts'
import { get, quote, swapUrl } from './src/swap.ts'

/** Unused chain ids: a chain with a wrapped native token, and one without. */
const MADE_UP = 987_654_321
const UNWRAPPED = 987_654_322

const overlay = new Overlay()
const { chainsDir, deploymentsDir } = overlay
const nodes: Anvil[] = []
let info: DevnetInfo
let service: Service

/** The chain file shown in the documentation. */
const shown = JSON.parse(
  readFileSync(join(import.meta.dirname, '../docs/adding-a-chain.md'), 'utf8').match(/```json\n([\s\S]*?)```/)![1]!,
) as ChainFile

beforeAll(async () => {
  const { info: devnetInfo, stateFile } = await prepareDevnet({ dir: devnetDir })
  info = devnetInfo
  for (const chainId of [MADE_UP, UNWRAPPED]) nodes.push(await startChainCopy(chainId, stateFile))
  overlay.addChain(madeUp(MADE_UP, nodes[0]!.url))
  const { wrappedNative, ...rest } = madeUp(UNWRAPPED, nodes[1]!.url)
  overlay.addChain({ ...rest, name: 'unwrapped', wrappedNative: null, nativeErc20: wrappedNative! })
  for (const [k, chainId] of [MADE_UP, UNWRAPPED].entries())
    await deployContracts({ rpcUrl: nodes[k]!.url, chainId, deploymentsDir })
  service = await startService(overlay.env)
})
afterAll(async () => {
  await service?.stop()
  await Promise.all(nodes.map((node) => node.stop()))
  overlay.remove()
})

/** Returns the documentation's file with the local chain's contracts instead of Sonic's. */
function madeUp(chainId: number, rpcUrl: string): ChainFile {
  const { WETH, USDC, USDT } = info.tokens
  const factory = (brand: string) => info.dexes.find((row) => row.brand === brand)!
  const [v2, v3] = shown.dexes as [ChainFile['dexes'][number], ChainFile['dexes'][number]]
  return {
    ...shown,
    chainId,
    name: 'made-up',
    trackerName: 'Made Up',
    wrappedNative: { ...shown.wrappedNative!, address: WETH!.address },
    stables: [
      { ...shown.stables[0]!, address: USDC!.address },
      { ...shown.stables[1]!, address: USDT!.address },
    ],
    hubs: [WETH!.address, USDC!.address],
    rpcUrls: [rpcUrl],
    dexes: [
      { ...v2, address: factory('Uniswap V2').address, feePpm: 3_000 },
      { ...v3, address: factory('Uniswap V3').address, startBlock: 0 },
    ],
  }
}

test('the registry accepts the documented chain file', () => {
  const folder = join(overlay.dir, 'shown')
  mkdirSync(folder)
  writeFileSync(join(folder, `${shown.chainId}.json`), JSON.stringify(shown))
  expect(loadRegistry({ chainsDir: folder, deploymentsDir }).chain(shown.chainId)?.displayName).toBe('Sonic')
})

test('the command finds no fault in a test chain, and reports its open fields', async () => {
  const registry = loadRegistry({ chainsDir, deploymentsDir })
  const findings = await checkChain(registry.chain(MADE_UP)!, registry.deployment(MADE_UP), [nodes[0]!.url])
  expect(findings.filter(({ status }) => status === 'fail')).toEqual([])
  const file = madeUp(MADE_UP, nodes[0]!.url)
  for (const { fix } of findings) fix?.(file)
  expect(file.stables[1]!.decimals).toBe(6)
  expect(file.evm).toEqual({ push0: true, transientStorage: true, mcopy: true })
  expect(file.blockTimeMs).toBeGreaterThan(0)
})

test('the chain map contains it, with its tracker name and its Guard', async () => {
  const { body } = await get<Record<string, unknown>>(`${service.url}/chains`)
  expect(body[MADE_UP]).toEqual({
    ChainID: String(MADE_UP),
    ChainName: 'made-up',
    RouterAddress: info.guard,
    TrackerName: 'Made Up',
    CoinsPrefix: 'sonic',
    Status: 'deployed',
    L1FeeModel: 'none',
  })
})

test('it is priced and traded like any other', async () => {
  const { WETH, USDC } = info.tokens
  const prices = await get<Record<string, number>>(`${service.url}/prices/${MADE_UP}?token=${WETH!.address},${NATIVE}`)
  expect(prices.body[WETH!.address]).toBeGreaterThan(1_000)
  expect(prices.body[NATIVE]).toBe(prices.body[WETH!.address])
  const from = info.accounts[0]!.address
  const route = await quote(service.url, MADE_UP, { src: NATIVE, dst: USDC!.address, amount: 10n ** 18n, from })
  expect(BigInt(route.toAmount)).toBeGreaterThan(1_000_000_000n)
  expect(route.tx.to).toBe(info.guard)
})

describe('a chain without a wrapper of its native asset', () => {
  test('refuses NATIVE with a reason', async () => {
    const { USDC } = info.tokens
    const from = info.accounts[0]!.address
    for (const [src, dst] of [
      [NATIVE, USDC!.address],
      [USDC!.address, NATIVE],
    ] as const) {
      const answer = await get<{ error: string }>(
        swapUrl(service.url, UNWRAPPED, { src, dst, amount: 10n ** 18n, from }),
      )
      expect(answer.status).toBe(400)
      expect(answer.body.error).toMatch(/native/)
    }
  })

  test('trades its tokens, and prices NATIVE by its ERC-20', async () => {
    const { WETH, USDC } = info.tokens
    const from = info.accounts[0]!.address
    const route = await quote(service.url, UNWRAPPED, {
      src: WETH!.address,
      dst: USDC!.address,
      amount: 10n ** 18n,
      from,
    })
    expect(BigInt(route.toAmount)).toBeGreaterThan(1_000_000_000n)
    const { body } = await get<Record<string, number>>(
      `${service.url}/prices/${UNWRAPPED}?token=${WETH!.address},${NATIVE}`,
    )
    expect(body[WETH!.address]).toBeGreaterThan(1_000)
    expect(body[NATIVE]).toBe(body[WETH!.address])
  })
})
