/**
 * `npm run bench -- gas`: compares the gas of this project's contracts with that of other routers on one local chain,
 * for nine trades, one of them also with signed approvals. Writes bench/results/gas.json.
 */
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { shortCommit } from '../record.ts'
import { startRouters } from './routers.ts'
import { inputOf, outputOf, PERMIT_KINDS, type Router, type Scenario, scenarios } from './scenarios.ts'
import { revokeApprovals } from './signing.ts'
import { ZERO } from './world.ts'

type Row = Partial<Record<Router['name'], number>>
type GasMeasurement = { readonly gas: number; readonly received: bigint }

const { node, world, routers, stop } = await startRouters()
try {
  const userBalance = (token: Hex) =>
    token === ZERO
      ? node.client.getBalance({ address: node.user })
      : node.read<bigint>(world.tokenAbi, token, 'balanceOf', [node.user])

  const measure = async (router: Router, scenario: Scenario): Promise<GasMeasurement | null> => {
    const snapshot = await node.rpc('evm_snapshot')
    if (scenario === 'permit' || scenario === 'permit2') await revokeApprovals(node, world, router)
    const transaction = await router.build(scenario)
    if (!transaction) {
      await node.rpc('evm_revert', [snapshot])
      await node.rpc('evm_mine')
      return null
    }
    const output = outputOf(scenario, world)
    const before = await userBalance(output)
    const receipt = await node.send(node.user, transaction.to, transaction.data, transaction.value ?? 0n)
    const paidForGas = output === ZERO ? receipt.gasUsed * receipt.effectiveGasPrice : 0n
    const received = (await userBalance(output)) - before + paidForGas
    await node.rpc('evm_revert', [snapshot])
    // Mines a block, because without it anvil may lose the next transaction.
    await node.rpc('evm_mine')
    return { gas: Number(receipt.gasUsed), received }
  }

  const table: Record<Scenario, Row> = {} as Record<Scenario, Row>
  for (const scenario of [...scenarios, ...PERMIT_KINDS]) {
    const row: Row = {}
    let firstReceived: bigint | undefined
    for (const router of routers) {
      const measurement = await measure(router, scenario)
      if (!measurement) continue
      row[router.name] = measurement.gas
      firstReceived ??= measurement.received
      // All routers must execute the same trade, so they must receive the same amount.
      if (measurement.received !== firstReceived)
        throw new Error(`${router.name} received ${measurement.received} in ${scenario}, others ${firstReceived}`)
    }
    table[scenario] = row
    if (inputOf(scenario, world) === outputOf(scenario, world)) throw new Error(`${scenario} trades a token for itself`)
  }
  report(table)
  const about = {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    date: new Date().toISOString().slice(0, 10),
    commit: shortCommit(),
  }
  const file = join(import.meta.dirname, '../results/gas.json')
  writeFileSync(file, `${JSON.stringify({ ...table, about }, null, 2)}\n`)
} finally {
  await stop()
}

function report(table: Record<Scenario, Row>): void {
  const names = ['sluice', 'sluiceDirect', 'universalRouter', 'swapRouter02', 'v2Router02', 'floor'] as const
  const cell = (value: number | undefined) => (value === undefined ? '–' : value.toLocaleString('en')).padStart(15)
  console.log(['', ...names, 'to universal', 'to floor'].map((name) => name.padStart(15)).join(''))
  for (const scenario of [...scenarios, ...PERMIT_KINDS]) {
    const row = table[scenario]
    const ratios = [row.universalRouter, row.floor].map((other) =>
      (other ? (row.sluice! / other).toFixed(3) : '–').padStart(15),
    )
    console.log([scenario.padStart(15), ...names.map((name) => cell(row[name])), ...ratios].join(''))
  }
  const mean = (name: Router['name']) => {
    const logs = scenarios.flatMap((s) => (table[s][name] ? [Math.log(table[s][name]! / table[s].floor!)] : []))
    return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length).toFixed(4)
  }
  console.log('geometric mean over the floor:', names.map((name) => `${name} ${mean(name)}`).join(', '))
}
