/** Tests the data fees of rollups. */
import type { L1FeeModel } from '@sluice/chains'
import { type Anvil, type DevnetInfo, devnetChain, prepareDevnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChainCopy } from './src/copy.ts'
import { putOpStackOracle, WEI_PER_BYTE } from './src/op-stack.ts'
import { Overlay } from './src/overlay.ts'
import { devnetDir, type Service, startService } from './src/service.ts'
import { quote, type RouteBody } from './src/swap.ts'
import { Node } from './src/wallet.ts'

/** Copies of one chain with different fee models: none, the OP Stack's, Arbitrum's, and an unknown one. */
const models = { 700001: 'none', 700002: 'op-stack', 700003: 'arbitrum', 700004: 'unknown' } as const satisfies Record<
  number,
  L1FeeModel
>
const [PLAIN, OP_STACK, ARBITRUM, UNKNOWN] = [700_001, 700_002, 700_003, 700_004]

type Priced = RouteBody & {
  readonly gasCost: { readonly native: string; readonly l1Fee: string | null }
  readonly netToAmount: string
}

const overlay = new Overlay()
const nodes = new Map<number, Anvil>()
let info: DevnetInfo
let service: Service

beforeAll(async () => {
  const { info: devnetInfo, stateFile } = await prepareDevnet({ dir: devnetDir })
  info = devnetInfo
  for (const [id, l1FeeModel] of Object.entries(models)) {
    const chainId = Number(id)
    const anvil = await startChainCopy(chainId, stateFile)
    nodes.set(chainId, anvil)
    overlay.addChain({ ...devnetChain(info, anvil.url), chainId, name: `rollup-${id}`, l1FeeModel })
    overlay.addDeployment(chainId, info.deployment)
  }
  await putOpStackOracle(new Node(nodes.get(OP_STACK)!.url))
  await putArbitrumStandIn(new Node(nodes.get(ARBITRUM)!.url))
  service = await startService(overlay.env)
})
afterAll(async () => {
  await service?.stop()
  await Promise.all([...nodes.values()].map((node) => node.stop()))
  overlay.remove()
})

/**
 * Sets a substitute for Arbitrum's precompile, which has no code to copy: 16 gas per byte of the call, the base fee,
 * and 1 gwei.
 */
async function putArbitrumStandIn(node: Node): Promise<void> {
  const code = '0x3660100260005248602052633b9aca0060405260606000f3'
  await node.request('anvil_setCode', ['0x00000000000000000000000000000000000000C8', code])
}

/**
 * Deadline of every quote, in Unix seconds. A shared value keeps a zero byte from making one calldata cheaper than the
 * others.
 */
const deadline = Math.floor(Date.now() / 1000) + 3_600

/** Families whose pools write an oracle once per block, so that the gas of two chains at different times differs. */
const GAS_CHANGES_WITH_TIME = 'algebra-v1,algebra-integral'

function ask(chainId: number): Promise<Priced> {
  const { WETH, USDC } = info.tokens
  const from = info.accounts[0]!.address
  const pair = { src: WETH!.address, dst: USDC!.address, excludeSources: GAS_CHANGES_WITH_TIME }
  const query = { ...pair, amount: 10n ** 18n, from, maxSplits: 1, deadline }
  return quote(service.url, chainId, query) as Promise<Priced>
}

test('a chain without L1 fees charges only gas', async () => {
  expect((await ask(PLAIN)).gasCost.l1Fee).toBe('0')
})

test('on the OP Stack the data fee is added to the gas cost, and subtracted from the net output', async () => {
  const [plain, rollup] = [await ask(PLAIN), await ask(OP_STACK)]
  const fee = BigInt(rollup.gasCost.l1Fee!)
  // The compressed size of a one-hop swap lies between the minimum of 100 bytes and the uncompressed size.
  const size = BigInt((rollup.tx.data.length - 2) / 2) + 180n
  expect(fee).toBeGreaterThan(100n * WEI_PER_BYTE)
  expect(fee).toBeLessThan(size * WEI_PER_BYTE)
  expect(rollup.gasEstimate).toBe(plain.gasEstimate)
  expect(BigInt(rollup.gasCost.native) - BigInt(plain.gasCost.native)).toBe(fee)
  expect(BigInt(rollup.netToAmount)).toBeLessThan(BigInt(plain.netToAmount))
})

test('on Arbitrum the data fee is gas, and the estimate covers it', async () => {
  const [plain, rollup] = [await ask(PLAIN), await ask(ARBITRUM)]
  const extra = BigInt(rollup.gasEstimate) - BigInt(plain.gasEstimate)
  // Selector, four words, and the swap's calldata padded to a word, at 16 gas per byte.
  const size = BigInt((rollup.tx.data.length - 2) / 2)
  expect(extra).toBe(16n * (4n + 4n * 32n + ((size + 31n) / 32n) * 32n))
  expect(BigInt(rollup.gasCost.l1Fee!)).toBeGreaterThan(0n)
})

test('with an unknown fee model the fee is null, and quotes work', async () => {
  expect((await ask(UNKNOWN)).gasCost.l1Fee).toBeNull()
})
