/**
 * Tests one API over three nodes with the ids and special features of three registry chains, set up as the normal
 * commands do.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NATIVE } from '@sluice/chains'
import { deployContracts } from '@sluice/contracts'
import { type Anvil, type DevnetInfo, prepareDevnet } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startChainCopy } from './src/copy.ts'
import { putOpStackOracle, WEI_PER_BYTE } from './src/op-stack.ts'
import { Overlay } from './src/overlay.ts'
import { onLocalChain } from './src/registry-chain.ts'
import { devnetDir, type Service, startService } from './src/service.ts'
import { approveQuoteSend, get, quote, type SwapQuery, swapUrl } from './src/swap.ts'
import { Node } from './src/wallet.ts'

/**
 * An OP Stack chain, a chain without transient storage, and a chain whose native asset with 18 decimals is a token with
 * 6.
 */
const chains = { base: 8453, mantle: 5000, arc: 5042 } as const
type Name = keyof typeof chains
const names = Object.keys(chains) as Name[]
/** TLOAD, TSTORE, and MCOPY came with Cancun. */
const nodeArgs: Readonly<Partial<Record<Name, readonly string[]>>> = { mantle: ['--hardfork', 'shanghai'] }
/** Families compiled for older EVM versions, which work on all three chains. */
const OLD_DEXES = ['uniswap-v2', 'uniswap-v3', 'pancake-v3', 'curve']

const overlay = new Overlay()
const nodes = new Map<Name, Anvil>()
let info: DevnetInfo
let service: Service
const node = (name: Name) => new Node(nodes.get(name)!.url)
const token = (symbol: string) => info.tokens[symbol]!.address
const sender = () => info.accounts[0]!.address

beforeAll(async () => {
  const { info: devnetInfo, stateFile } = await prepareDevnet({ dir: devnetDir })
  info = devnetInfo
  for (const name of names) {
    nodes.set(name, await startChainCopy(chains[name], stateFile, nodeArgs[name]))
    await forgetContracts(node(name))
    const file = onLocalChain(chains[name], info, nodes.get(name)!.url)
    const dexes = file.dexes.filter(({ family }) => name !== 'mantle' || OLD_DEXES.includes(family))
    // EVM features of the chain's first years.
    const evm = name === 'mantle' ? { push0: true, transientStorage: false } : file.evm
    overlay.addChain({ ...file, dexes, evm })
    await deploy(name)
  }
  await putOpStackOracle(node('base'))
  service = await startService(overlay.env)
})
afterAll(async () => {
  await service?.stop()
  await Promise.all([...nodes.values()].map((anvil) => anvil.stop()))
  overlay.remove()
})

/** Removes the contracts of the saved chain, since the test deploys them with the command. */
async function forgetContracts(node: Node): Promise<void> {
  for (const address of [info.guard, info.executor]) {
    await node.request('anvil_setCode', [address, '0x'])
    await node.request('anvil_setNonce', [address, '0x0'])
  }
}

/** Deploys by the command on one chain, and on the others as the command does. */
async function deploy(name: Name): Promise<void> {
  const [chainId, rpcUrl] = [chains[name], nodes.get(name)!.url]
  if (name !== 'mantle') {
    await deployContracts({ rpcUrl, chainId, deploymentsDir: overlay.deploymentsDir })
    return
  }
  const args = ['--chain', chainId, '--rpc', rpcUrl, '--deployments', overlay.deploymentsDir]
  await promisify(execFile)('npm', ['run', '-s', 'deploy', '--', ...args.map(String)], {
    cwd: join(import.meta.dirname, '..'),
  })
}

/** Approves, quotes, and sends, and checks that the outcome equals the quote. */
async function expectExact(name: Name, query: Omit<SwapQuery, 'from'> & { src: string; dst: string; amount: bigint }) {
  const full = { ...query, from: sender() }
  const executed = await approveQuoteSend(node(name), service.url, chains[name], full)
  const { route, receipt, received, spent } = executed
  expect(receipt.status, 'the returned transaction reverted').toBe(true)
  expect(received).toBe(BigInt(route.toAmount))
  expect(spent).toBe(query.amount)
  expect(receipt.gasUsed).toBeLessThanOrEqual(BigInt(route.gasEstimate))
  return executed
}

test('the contracts are deployed on all three chains, in the supported build', async () => {
  const { body } = await get<Record<string, { ChainName: string; RouterAddress: string; Status: string }>>(
    `${service.url}/chains`,
  )
  const deployed = Object.values(body).filter(({ Status }) => Status === 'deployed')
  expect(deployed.map(({ ChainName }) => ChainName)).toEqual(['mantle', 'arc', 'base'])
  expect(body[chains.base]!.RouterAddress).toBe(info.guard)
  expect(body[chains.arc]!.RouterAddress).toBe(info.guard)
  expect(body[chains.mantle]!.RouterAddress).not.toBe(info.guard)
})

describe.each(names)('%s', (name) => {
  // Only the build for old chains behaves differently.
  const tags = name === 'mantle' ? [] : ['long']

  test('a swap pays the quoted amount, to the unit', async () => {
    const { route } = await expectExact(name, { src: token('WETH'), dst: token('USDC'), amount: 10n ** 18n })
    expect(BigInt(route.toAmount)).toBeGreaterThan(1_000_000_000n)
  })

  test('a large swap over several pools pays the quoted amount', { tags }, async () => {
    const { route } = await expectExact(name, { src: token('WETH'), dst: token('USDC'), amount: 800n * 10n ** 18n })
    expect(route.swaps.length).toBeGreaterThan(1)
  })

  test('a swap of a taxed token pays the quoted amount', { tags }, async () => {
    await expectExact(name, { src: token('TAXED'), dst: token('WETH'), amount: 10n ** 18n })
  })
})

async function expectNative(name: Name): Promise<void> {
  await expectExact(name, { src: NATIVE, dst: token('USDC'), amount: 10n ** 18n })
  await expectExact(name, { src: token('USDC'), dst: NATIVE, amount: 2_000_000_000n })
}
test('NATIVE can be input and output on mantle', () => expectNative('mantle'))
test('NATIVE can be input and output on base', { tags: 'long' }, () => expectNative('base'))

type Priced = { readonly gasCost: { readonly native: string; readonly l1Fee: string | null; readonly usd: number } }

test('on base the fee of publishing is part of the cost', async () => {
  const query = { src: token('WETH'), dst: token('USDC'), amount: 10n ** 18n, from: sender() }
  const route = (await quote(service.url, chains.base, query)) as unknown as Priced
  expect(BigInt(route.gasCost.l1Fee!)).toBeGreaterThan(100n * WEI_PER_BYTE)
  expect(BigInt(route.gasCost.native)).toBeGreaterThan(BigInt(route.gasCost.l1Fee!))
})

describe('arc, whose native asset of 18 decimals is a token of 6', () => {
  test('refuses NATIVE and names the token to trade instead', async () => {
    for (const [src, dst] of [
      [NATIVE, token('WETH')],
      [token('WETH'), NATIVE],
    ] as const) {
      const url = swapUrl(service.url, chains.arc, { src, dst, amount: 10n ** 18n, from: sender() })
      const { status, body } = await get<{ error: string; code: string }>(url)
      expect(status).toBe(400)
      expect(body.code).toBe('NATIVE_UNSUPPORTED')
      expect(body.error).toContain(token('USDC'))
    }
  })

  test('prices NATIVE by that token', async () => {
    const { body } = await get<Record<string, number>>(
      `${service.url}/prices/${chains.arc}?token=${NATIVE},${token('USDC')}`,
    )
    expect(body[NATIVE]).toBe(body[token('USDC')])
    expect(body[NATIVE]).toBeCloseTo(1, 1)
  })

  test('subtracts gas from the output at a dollar per 10^18 wei', async () => {
    // A ten-thousandth of a dollar per gas, so that a swap costs tens of dollars.
    const gasPrice = 10n ** 14n
    const query = { src: token('WETH'), dst: token('USDC'), amount: 10n ** 18n, from: sender(), gasPrice }
    const route = (await quote(service.url, chains.arc, query)) as unknown as Priced & Record<string, string>
    const cost = BigInt(route.toAmount!) - BigInt(route.netToAmount!)
    const wei = BigInt(route.gasCharged!) * gasPrice
    expect(BigInt(route.gasCost.native)).toBe(wei)
    expect(Number(cost) / (Number(wei) / 1e12)).toBeCloseTo(1, 3)
    expect(route.gasCost.usd / (Number(wei) / 1e18)).toBeCloseTo(1, 1)
  })
})
