/**
 * `npm run bench -- sync reading`: compares two ways to read pools, on one node in one run: the service's lenses
 * (contracts that read many pools in one call), and Multicall3. The pools are 1,000 Uniswap V2 pairs, and 200 Uniswap
 * V3 pools with 40 ticks each. Counts the round trips of the lenses. Results in `results/reading.json`.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import { IUniswapV2Pair__factory } from '@sluice/bindings'
import { type Hex, toAddress } from '@sluice/chains'
import { countRoundTrips } from '@sluice/devnet'
import { familyOf, type Pool } from '@sluice/liquidity'
import { addPair, addPool, addPosition, runReads, sqrtRatioAtTick, startFixture } from '@sluice/liquidity/testing'
import { Interface, toBeHex } from 'ethers'
import { record, rounded } from '../record.ts'

const RUNS = 7
const PAIRS = 1_000
const POOLS = 200
const TICKS = 40
/** Maximum number of accounts that are set per request. Anvil accepts requests of up to 2 MB. */
const ACCOUNTS_PER_REQUEST = 20
const E18 = 10n ** 18n
const MULTICALL3 = toAddress('0xca11bde05977b3631167028862be2a173976ca11')
/** Maximum number of calls in an aggregate call of Multicall3. With more calls, requests exceed the limits of nodes. */
const CALLS_PER_AGGREGATE = 1_000

const multicall = new Interface([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
])
const pairAbi = IUniswapV2Pair__factory.createInterface()
const poolAbi = new Interface([
  'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
  'function liquidity() view returns (uint128)',
  'function tickBitmap(int16) view returns (uint256)',
  'function ticks(int24) view returns (uint128, int128, uint256, uint256, int56, uint160, uint32, bool)',
])

const fixture = await startFixture(2)
try {
  const [a, b] = fixture.tokens
  await addPair(fixture, a!, b!, 1_000n * E18, 2_000n * E18)
  const pair = toAddress(await fixture.v2Factory.read<string>('getPair', [a!.address, b!.address]))
  const pool = await addPool(fixture, a!, b!, 3_000, sqrtRatioAtTick(0))
  const key = { token0: a!, token1: b!, fee: 3_000 }
  for (let i = 1; i <= TICKS / 2; i++)
    await addPosition(fixture, key, { tickLower: -300 * i, tickUpper: 300 * i, amount0: E18, amount1: E18 })
  await fixture.request('anvil_setCode', [MULTICALL3, await multicall3Code()])
  const copies = {
    pairs: await copyContract(pair, PAIRS, 1n << 100n),
    pools: await copyContract(pool, POOLS, 1n << 101n),
  }
  const [v2Row, v3Row] = fixture.chain.dexes
  const block = { blockHash: (await fixture.rpc.getBlock('latest'))!.hash }

  const poolsOf = (row: typeof v2Row, addresses: readonly Hex[]): Pool<null>[] =>
    addresses.map((address) => {
      const tokens = [toAddress(a!.address), toAddress(b!.address)]
      return {
        id: address,
        family: row!.family,
        dex: row!.brand,
        address: toAddress(address),
        tokens,
        fixed: { fee: 3_000, feePpm: 3_000, tickSpacing: 60 },
        state: null,
      }
    })
  const { rpc, roundTrips } = countRoundTrips(fixture.rpc)
  const readByLenses = async (row: typeof v2Row, pools: readonly Pool<null>[]) => {
    const [states] = await runReads(rpc, block, [familyOf(row!.family)!.readStates(row!, pools)])
    return states!
  }
  const aggregate = async (calls: readonly (readonly [Hex, string])[]) => {
    const parts = Array.from({ length: Math.ceil(calls.length / CALLS_PER_AGGREGATE) }, (_, i) =>
      calls.slice(i * CALLS_PER_AGGREGATE, (i + 1) * CALLS_PER_AGGREGATE),
    )
    const answers = await Promise.all(
      parts.map(async (part) => {
        const data = multicall.encodeFunctionData('aggregate3', [
          part.map(([target, callData]) => [target, true, callData]),
        ])
        const answer = await fixture.rpc.call({ to: MULTICALL3, data: data as Hex }, block, { timeoutMs: 60_000 })
        const [results] = multicall.decodeFunctionResult('aggregate3', answer)
        return (results as [boolean, string][]).map(([, data]) => data)
      }),
    )
    return answers.flat()
  }
  const readV2ByMulticall = async () => {
    const answers = await aggregate(copies.pairs.map((target) => [target, pairAbi.encodeFunctionData('getReserves')]))
    return answers.map((answer) => pairAbi.decodeFunctionResult('getReserves', answer))
  }
  const readV3ByMulticall = async () => {
    const fields = ['slot0', 'liquidity']
    const heads = await aggregate(
      copies.pools.flatMap((target) => fields.map((name) => [target, poolAbi.encodeFunctionData(name)] as const)),
    )
    const words = [-2, -1, 0, 1, 2].flatMap((word) => copies.pools.map((target) => ({ target, word })))
    const bitmaps = await aggregate(
      words.map(({ target, word }) => [target, poolAbi.encodeFunctionData('tickBitmap', [word])]),
    )
    const ticks = words.flatMap(({ target, word }, i) => {
      const bits = BigInt(bitmaps[i]!)
      return Array.from({ length: 256 }, (_, bit) => bit)
        .filter((bit) => (bits >> BigInt(bit)) & 1n)
        .map((bit) => [target, poolAbi.encodeFunctionData('ticks', [(word * 256 + bit) * 60])] as const)
    })
    const states = await aggregate(ticks)
    for (const [i, head] of heads.entries()) poolAbi.decodeFunctionResult(fields[i % 2]!, head)
    return states.map((state) => poolAbi.decodeFunctionResult('ticks', state))
  }

  const v2Pools = poolsOf(v2Row, copies.pairs)
  const v3Pools = poolsOf(v3Row, copies.pools)
  const v2 = await readByLenses(v2Row, v2Pools)
  const v2RoundTrips = roundTrips()
  if (v2.filter((state) => state?.reserve0 === 1_000n * E18 || state?.reserve1 === 1_000n * E18).length !== PAIRS)
    throw new Error('pairs were misread')
  const v3 = await readByLenses(v3Row, v3Pools)
  const v3RoundTrips = roundTrips() - v2RoundTrips
  if (v3.filter((state) => state?.ticks.length === TICKS).length !== POOLS) throw new Error('pools were misread')
  if ((await readV3ByMulticall()).length !== POOLS * TICKS) throw new Error('Multicall3 was misused')
  record('reading', {
    runs: RUNS,
    uniswapV2: {
      pairs: PAIRS,
      roundTrips: v2RoundTrips,
      ...(await sideBySide(() => readByLenses(v2Row, v2Pools), readV2ByMulticall)),
    },
    uniswapV3: {
      pools: POOLS,
      ticks: TICKS,
      roundTrips: v3RoundTrips,
      ...(await sideBySide(() => readByLenses(v3Row, v3Pools), readV3ByMulticall)),
    },
  })
} finally {
  await fixture.stop()
}

/** Measures both methods in turn, so that other load on the machine affects both. Returns the medians. */
async function sideBySide(readByLenses: () => Promise<unknown>, readByMulticall: () => Promise<unknown>) {
  const times: [number[], number[]] = [[], []]
  for (let run = 0; run < RUNS; run++)
    for (const [i, task] of [readByLenses, readByMulticall].entries()) {
      const start = performance.now()
      await task()
      times[i]!.push(performance.now() - start)
    }
  const [lens, multicall3] = times.map((runTimes) => runTimes.sort((a, b) => a - b)[RUNS >> 1]!) as [number, number]
  return { lensMs: rounded(lens), multicall3Ms: rounded(multicall3), ratio: rounded(multicall3 / lens) }
}

/** Copies a contract with its storage to `count` consecutive addresses that start at `firstAddress`. */
async function copyContract(address: Hex, count: number, firstAddress: bigint): Promise<readonly Hex[]> {
  const dump = await fixture.request<Hex>('anvil_dumpState')
  const state = JSON.parse(gunzipSync(Buffer.from(dump.slice(2), 'hex')).toString()) as {
    accounts: Record<string, unknown>
  }
  const account = Object.entries(state.accounts).find(([at]) => at.toLowerCase() === address)![1]
  const copies = Array.from({ length: count }, (_, i) => toAddress(toBeHex(firstAddress + BigInt(i), 20)))
  for (let i = 0; i < count; i += ACCOUNTS_PER_REQUEST) {
    state.accounts = Object.fromEntries(
      copies.slice(i, i + ACCOUNTS_PER_REQUEST).map((copyAddress) => [copyAddress, account]),
    )
    await fixture.request('anvil_loadState', [`0x${gzipSync(JSON.stringify(state)).toString('hex')}`])
  }
  return copies
}

/** Returns the deployed code of the published Multicall3, from its creation code. */
async function multicall3Code(): Promise<string> {
  const { multicall3Bytecode } = (await import('../../node_modules/viem/_esm/constants/contracts.js' as string)) as {
    multicall3Bytecode: Hex
  }
  return fixture.request<string>('eth_call', [{ data: multicall3Bytecode, gas: '0x1c9c380' }, 'latest'])
}
