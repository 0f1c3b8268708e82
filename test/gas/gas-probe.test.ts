/** Compares measured hop gas with the gas charged to senders. */
import { toAddress } from '@sluice/chains'
import { families, type Pool, PoolMap } from '@sluice/liquidity'
import { startLocal, type World } from '@sluice/liquidity/testing'
import { GasProber, MeasuredGas } from '@sluice/quoting'
import { type Leg, type MeasuredHop, transactionRefund } from '@sluice/routing'
import { createSimulationContext } from '@sluice/simulation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { observePools } from '../../bench/gas/hop/observe.ts'
import { approveAll } from '../../bench/gas/hop/swap.ts'
import { median } from '../../bench/lib/statistics.ts'

let world: World
beforeAll(async () => {
  world = await startLocal()
  await approveAll(world)
})
afterAll(() => world?.stop())

/** Timeout in milliseconds for some hundred transactions on a busy machine. */
const LONG = 300_000
/** Gas by which a measured hop may differ from a receipt, since amounts and calldata differ. */
const TOLERANCE = 1_500
/** Gas by which a refund may differ, since remaining allowances change a token's gas slightly. */
const REFUND_TOLERANCE = 1_000
async function measureGas(pools: readonly Pool[] = []): Promise<MeasuredGas> {
  const measuredGas = new MeasuredGas()
  const byId = new Map(families.map((family) => [family.id, family]))
  const contracts = {
    ...{ guard: world.guard, executor: { address: world.guardsExecutor } },
    ...{ families: byId, executable: new Set(byId.keys()) },
  }
  const simulation = createSimulationContext({ blockIntervalMs: 1_000 })
  const failed = (_: object, message: string) => expect.unreachable(message)
  const prober = new GasProber({ chain: world.chain, contracts, simulation, measuredGas, log: { info: failed } })
  const snapshot = await world.market.sync()
  const all = PoolMap.empty.with([...snapshot.pools.values(), ...pools])
  const tokens = new Set([...all.values()].flatMap((pool) => pool.tokens))
  await prober.queueTokens([...tokens], { rpc: world.rpc, snapshot: { ...snapshot, pools: all } })
  return measuredGas
}

const hopOfLeg = (measured: MeasuredGas, { pool, tokenIn, tokenOut }: Leg): MeasuredHop | undefined =>
  measured.measuredHop(pool.id, tokenIn, tokenOut)

/** Returns the gas before refunds of a hop alone, without drawing the input and paying the Guard. */
const alone = ({ first, middle, last }: MeasuredHop) => first + last - middle

test(
  'the difference between measured and charged gas of a hop is the same for pools of all families',
  async () => {
    const measured = await measureGas()
    const samples = (await observePools(world)).flatMap(({ route, gross, charged, wrappedNative }) => {
      const [leg, ...otherLegs] = route.legs
      const hop = leg && hopOfLeg(measured, leg)
      // The probe's small amount crosses no tick, so it writes no oracle.
      if (!hop || otherLegs.length > 0 || (leg.writes ?? []).length > 0) return []
      const refund = transactionRefund({ ...route, wrappedNative }, gross, false)
      return [{ family: leg.pool.family, rest: gross - alone(hop), refundOff: gross - charged - refund }]
    })
    expect(new Set(samples.map(({ family }) => family)).size).toBeGreaterThanOrEqual(10)
    const rest = samples.map((sample) => sample.rest)
    const usual = median(rest)
    const off = rest.map((gas) => Math.abs(gas - usual))
    console.info(`gas of the rest of a route ${usual}, hops off by ${median(off)}, at most ${Math.max(...off)}`)
    expect(median(off)).toBeLessThan(TOLERANCE)
    const refundOff = samples.map((sample) => Math.abs(sample.refundOff))
    expect(median(refundOff)).toBeLessThan(REFUND_TOLERANCE)
  },
  LONG,
)

test(
  'pools that burn all gas or revert use the family estimate, and do not affect others in the same call',
  async () => {
    const genuine = [...world.market.snapshot().pools.values()].filter(({ family }) => family === 'uniswap-v2')
    const code = { 'JUMPDEST PUSH0 JUMP': '0x5b5f56', 'PUSH0 PUSH0 REVERT': '0x5f5ffd', none: '0x' }
    const hostile = await Promise.all(
      Object.values(code).map(async (runtime, k) => {
        const address = toAddress(`0xbad${String(k).padStart(37, '0')}`)
        await world.request('anvil_setCode', [address, runtime])
        return { ...genuine[0]!, id: address, address }
      }),
    )
    const measured = await measureGas(hostile)
    for (const { id, tokens } of hostile) expect(measured.measuredHop(id, tokens[0]!, tokens[1]!)).toBeUndefined()
    for (const { id, tokens } of genuine)
      expect(measured.measuredHop(id, tokens[0]!, tokens[1]!)?.middle).toBeGreaterThan(30_000)
  },
  LONG,
)
