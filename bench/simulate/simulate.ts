/**
 * `npm run bench -- simulate`: compares the time of simulations with that of the node's `eth_call`, and their results
 * with those of sent transactions. Also measures how storage slots of 212 real tokens are found. The node is anvil on
 * the same machine, so that times exclude the network.
 */
import { type Hex, toAddress } from '@sluice/chains'
import { NodeProxy, startDevnet } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { createSimulationContext, type SimulationRequest, simulateSwap } from '@sluice/simulation'
import {
  abiOf,
  attacks,
  type Check,
  checkToken,
  compareShape,
  readMainnet,
  SlotResolver,
  shapesOn,
  startMainnet,
  startTestChain,
  unusedAccount,
} from '@sluice/simulation/testing'
import { median, quantile } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'

const RUNS = 300
const RUNS_PER_ATTACK = 20
const PASSES = 6
const CONCURRENT_CALLERS = 50
const ATTACKERS = 20

let targetCount = 0

async function measureTimes(work: () => Promise<unknown>, runs = RUNS): Promise<readonly number[]> {
  for (let i = 0; i < runs / 5; i++) await work()
  const times: number[] = []
  for (let i = 0; i < runs; i++) {
    const start = performance.now()
    await work()
    times.push(performance.now() - start)
  }
  return times
}

const post = (url: string, body: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then((answer) => answer.text())

/** Returns the body of the eth_call that a simulation sends. */
async function ethCallOf(url: string, request: SimulationRequest): Promise<string> {
  let lastBody = ''
  const proxy = await NodeProxy.start(url, (call) => {
    if (call.method === 'eth_call') lastBody = JSON.stringify({ jsonrpc: '2.0', ...call })
    return undefined
  })
  const rpc = createRpc({ chainId: 31337, urls: [proxy.url] })
  await simulateSwap(rpc, request, createSimulationContext())
  await proxy.stop()
  return lastBody
}

async function measureSimulation() {
  const devnet = await startDevnet()
  try {
    const { USDC, WETH, STETH } = devnet.info.tokens
    const from = devnet.info.accounts[5]!.address
    const router = abiOf('@uniswap/v2-periphery/build/UniswapV2Router02.json')
    const swap = (tokenIn: typeof USDC, amountIn: bigint): SimulationRequest => ({
      from,
      to: devnet.info.routers.uniswapV2Router02!,
      data: router.encodeFunctionData('swapExactTokensForTokensSupportingFeeOnTransferTokens', [
        amountIn,
        0,
        [tokenIn.address, WETH.address],
        from,
        2n ** 40n,
      ]) as Hex,
      tokenIn: tokenIn.address,
      amountIn,
      tokenOut: WETH.address,
      block: 'latest',
    })
    const rpc = createRpc({ chainId: devnet.chainId, urls: [devnet.url] })
    const context = createSimulationContext()
    const plainRequest = swap(USDC, 1_000_000n)
    const body = await ethCallOf(devnet.url, plainRequest)
    const nodeTimes = await measureTimes(() => post(devnet.url, body))
    const simulationTimes = await measureTimes(() => simulateSwap(rpc, plainRequest, context))
    const sharesTokenTimes = await measureTimes(() => simulateSwap(rpc, swap(STETH, 10n ** 18n), context))
    const measureCallers = () =>
      Promise.all(
        Array.from({ length: CONCURRENT_CALLERS }, async (_, i) => {
          const start = performance.now()
          await simulateSwap(rpc, swap(USDC, 1_000_000n + BigInt(i)), context)
          return performance.now() - start
        }),
      )
    const deployAttack = async (code: string) => {
      const to = toAddress(`0xba${(++targetCount).toString(16).padStart(38, '0')}`)
      await rpc.request('anvil_setCode', [to, code])
      return { ...plainRequest, to, data: '0x' as const }
    }
    const attackMs: Record<string, number> = {}
    for (const [name, code] of Object.entries(attacks)) {
      const request = await deployAttack(code)
      const simulateAttack = () => simulateSwap(rpc, request, createSimulationContext())
      attackMs[name] = rounded(median(await measureTimes(simulateAttack, RUNS_PER_ATTACK)))
    }
    const endlessRequest = await deployAttack(attacks['gas bomb'])
    await measureCallers()
    const aloneTimes = await measureCallers()
    let isStopped = false
    const attackers = Array.from({ length: ATTACKERS }, async () => {
      while (!isStopped) await simulateSwap(rpc, endlessRequest, context)
    })
    // Waits until the service has measured the cost of the attackers' requests.
    await new Promise((resolve) => setTimeout(resolve, 500))
    const attackedTimes = await measureCallers()
    isStopped = true
    await Promise.all(attackers)
    rpc.close()
    return {
      honestAtOnce: CONCURRENT_CALLERS,
      honestMs: { median: rounded(median(aloneTimes)), slowest: rounded(Math.max(...aloneTimes)) },
      eachAttackAloneMs: attackMs,
      attackers: ATTACKERS,
      honestUnderAttackMs: { median: rounded(median(attackedTimes)), slowest: rounded(Math.max(...attackedTimes)) },
      runs: RUNS,
      nodesOwnEthCallMs: { median: rounded(median(nodeTimes), 2), p99: rounded(quantile(nodeTimes, 0.99), 2) },
      simulateMs: { median: rounded(median(simulationTimes), 2), p99: rounded(quantile(simulationTimes, 0.99), 2) },
      simulateSharesTokenMs: {
        median: rounded(median(sharesTokenTimes), 2),
        p99: rounded(quantile(sharesTokenTimes, 0.99), 2),
      },
      overTheNodeMs: rounded(median(simulationTimes) - median(nodeTimes), 2),
      requestBytes: body.length,
    }
  } finally {
    await devnet.stop()
  }
}

/** Compares the output and gas of simulations with those of the same transactions, which are sent. */
async function measureShapes() {
  const chain = await startTestChain()
  try {
    const context = createSimulationContext()
    const differences: number[] = []
    let equalAmounts = 0
    for (const shape of Object.values(shapesOn(() => chain))) {
      const { simulated, sent } = await compareShape(shape, chain, context)
      if (sent.success && simulated.amountOut === sent.received) equalAmounts++
      differences.push(simulated.gasUsed - Number(sent.grossGas))
    }
    return {
      shapes: differences.length,
      amountEqual: equalAmounts,
      gasEqual: differences.filter((difference) => difference === 0).length,
      mostGasOver: Math.max(...differences),
      mostGasUnder: -Math.min(0, ...differences),
    }
  } finally {
    await chain.anvil.stop()
  }
}

async function measureSlots() {
  const fixture = readMainnet()
  const node = await startMainnet(fixture)
  try {
    const rpc = createRpc({ chainId: fixture.chainId, urls: [node.url], timeoutMs: 20_000 })
    const fastestChecks = new Map<string, Check>()
    // Each pass starts without learned slots. The fastest pass counts, because other load can only slow a pass.
    for (let pass = 0; pass < PASSES; pass++) {
      const resolver = new SlotResolver()
      for (const { token, pools } of fixture.tokens) {
        const check = await checkToken(rpc, resolver, token, [unusedAccount, ...pools])
        if (check.ms < (fastestChecks.get(token)?.ms ?? Number.POSITIVE_INFINITY)) fastestChecks.set(token, check)
      }
    }
    const checks = [...fastestChecks.values()]
    rpc.close()
    const byRoundTrips = Object.groupBy(checks, ({ calls }) => calls)
    return {
      tokens: checks.length,
      bestOfPasses: PASSES,
      passed: checks.filter(({ outcome }) => outcome === 'passed').length,
      bothSlotsFound: checks.filter(({ outcome }) => !outcome.startsWith('no ')).length,
      byRoundTrips: Object.fromEntries(
        Object.entries(byRoundTrips).map(([trips, group = []]) => {
          const ms = group.map((check) => check.ms)
          return [trips, { tokens: group.length, medianMs: rounded(median(ms)), slowestMs: rounded(Math.max(...ms)) }]
        }),
      ),
    }
  } finally {
    await node.stop()
  }
}

record('simulate', {
  simulation: await measureSimulation(),
  reallySent: await measureShapes(),
  slots: await measureSlots(),
})
