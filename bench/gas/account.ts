/**
 * `npm run bench -- gas account`: explains the gas of scenarios in which a swap costs more than through
 * UniversalRouter. Attributes the gas of each instruction to a cause, from traces of the transactions of `npm run bench
 * -- gas`. Writes the tables of docs/audit/gas.md. Fails if the parts of a transaction do not add up to the gas in its
 * receipt.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Hex, hexToBytes, toFunctionSelector } from 'viem'
import { withBlocks } from '../../scripts/lib/generated-blocks.ts'
import { root } from '../../scripts/lib/run.ts'
import { lastRecord } from '../record.ts'
import { startRouters } from './routers.ts'
import { type Router, type Scenario, scenarios } from './scenarios.ts'
import { revokeApprovals } from './signing.ts'
import { PERMIT2 } from './world.ts'

/** An executed instruction, from the node's trace. */
type Step = {
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
}
/** A call, from the node's call trace. */
type Frame = { readonly type: string; readonly to: string; readonly input: string; readonly calls?: readonly Frame[] }
/** Gas by cause, from `attributeGas`. */
type GasByCause = Map<string, number>
/** Gas of one router in a scenario. */
type Column = {
  readonly name: string
  /** Charged gas, after the refund. */
  readonly gas: number
  /** Gas before the refund. */
  readonly gasByCause: GasByCause
  readonly refund: number
}

const SCENARIOS: readonly Scenario[] = ['v3', 'nativeIn', 'permit', 'permit2']
/** Compared routers. The tables call `sluice` "custody" and `sluiceDirect` "direct". */
const ROUTER_NAMES: readonly Router['name'][] = ['sluice', 'sluiceDirect', 'universalRouter']
const BLOCK_SECONDS = 12n
/**
 * Refund for a slot that is zero before and after the transaction, but not in between. All refunds together are at most
 * a fifth of the gas spent.
 */
const CLEARED_SLOT_REFUND = 19_900
const TX_GAS = 21_000
const ZERO_BYTE_GAS = 4
const BYTE_GAS = 16
const CALL_OPCODES = ['CALL', 'STATICCALL', 'DELEGATECALL']
const FUNCTIONS = [
  'balanceOf(address)',
  'transfer(address,uint256)',
  'transferFrom(address,address,uint256)',
  'transferFrom(address,address,uint160,address)',
  'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
  'permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)',
  'deposit()',
  'swap(address,bool,int256,uint160,bytes)',
  'pullInput(address,uint256)',
  'execute((address,uint256,address))',
]
const functionNames = new Map(
  FUNCTIONS.map((signature) => [toFunctionSelector(signature), signature.slice(0, signature.indexOf('('))]),
)

const { node, world, routers, stop } = await startRouters()
try {
  const labels = new Map<string, string>(
    (
      [
        [world.a, 'token a'],
        [world.b, 'token b'],
        [world.weth, 'WETH9'],
        [PERMIT2, 'Permit2'],
        [world.pools.v3ab, 'pool'],
        [world.pools.v3bWeth, 'pool'],
      ] as const
    ).map(([address, label]) => [address.toLowerCase(), label]),
  )
  const sections: string[] = []
  for (const scenario of SCENARIOS) {
    const columns: Column[] = []
    for (const name of ROUTER_NAMES)
      columns.push(await measure(routers.find((router) => router.name === name)!, scenario))
    sections.push(sectionOf(scenario, columns))
  }
  const page = join(root, 'docs/audit/gas.md')
  writeFileSync(page, withBlocks(readFileSync(page, 'utf8'), { causes: sections.join('\n\n'), floors: floorTable() }))
  console.log(sections.join('\n'))

  async function measure(router: Router, scenario: Scenario): Promise<Column> {
    const snapshot = await node.rpc('evm_snapshot')
    if (scenario === 'permit' || scenario === 'permit2') await revokeApprovals(node, world, router)
    const { to, data, value = 0n } = (await router.build(scenario))!
    // Traces a call with the number and timestamp of the next block, in which the transaction is then mined. Anvil has
    // no instruction traces of mined transactions.
    const { number, timestamp } = await node.client.getBlock()
    const hex = (quantity: bigint) => `0x${quantity.toString(16)}`
    const call = { from: node.user, to, data, value: hex(value), gas: hex(15_000_000n) }
    const blockOverrides = { number: hex(number + 1n), time: hex(timestamp + BLOCK_SECONDS) }
    const traceCall = (options: object) => node.rpc('debug_traceCall', [call, 'latest', { ...options, blockOverrides }])
    const trace = (await traceCall({ disableStorage: true, disableStack: true })) as { gas: number; structLogs: Step[] }
    const frames = (await traceCall({ tracer: 'callTracer' })) as Frame
    const { gasUsed } = await node.send(node.user, to, data, value)
    await node.rpc('evm_revert', [snapshot])
    // Mines a block, because without it anvil may lose the next transaction.
    await node.rpc('evm_mine')
    const gasByCause = attributeGas(trace.structLogs, frames, data, labels)
    const gasSum = [...gasByCause.values()].reduce((sum, gas) => sum + gas, 0)
    const refund = gasSum - Number(gasUsed)
    const possibleRefunds = [0, 1, 2].map((slots) => Math.min(slots * CLEARED_SLOT_REFUND, Math.floor(gasSum / 5)))
    if (!possibleRefunds.includes(refund))
      throw new Error(`${router.name}, ${scenario}: ${gasSum} explained, ${gasUsed} charged, ${trace.gas} traced`)
    return { name: router.name, gas: Number(gasUsed), gasByCause, refund }
  }
} finally {
  await stop()
}

/** Attributes the gas of every instruction to a cause. */
function attributeGas(
  steps: readonly Step[],
  topFrame: Frame,
  data: Hex,
  labels: ReadonlyMap<string, string>,
): GasByCause {
  const gasByCause: GasByCause = new Map()
  const add = (cause: string, gas: number) => gasByCause.set(cause, (gasByCause.get(cause) ?? 0) + gas)
  add('base cost of a transaction', TX_GAS)
  const bytes = hexToBytes(data)
  add(
    'calldata',
    bytes.reduce((sum, byte) => sum + (byte === 0 ? ZERO_BYTE_GAS : BYTE_GAS), 0),
  )
  const causeOf = (frame: Frame): string | undefined => {
    const label = labels.get(frame.to.toLowerCase())
    return (
      label &&
      `${label}: ${functionNames.get(frame.input.slice(0, 10) as Hex) ?? (frame.input === '0x' ? 'native' : 'other')}`
    )
  }
  /** Call frames of the current step, outermost first, each with the index of its next call. */
  const stack: { readonly frame: Frame; next: number }[] = [{ frame: topFrame, next: 0 }]
  for (let stepIndex = 0; stepIndex < steps.length; stepIndex++) {
    const { op, depth } = steps[stepIndex]!
    while (stack.length > depth) stack.pop()
    const currentEntry = stack.at(-1)!
    const cause = causeOf(currentEntry.frame)
    const gas = gasOf(steps, stepIndex)
    if (cause) add(cause, gas)
    else if (op === 'TLOAD' || op === 'TSTORE') add('own code: transient storage', gas)
    else if (op === 'SLOAD' || op === 'SSTORE') add('own code: storage', gas)
    else if (CALL_OPCODES.includes(op)) add('own code: calls (access to accounts, value)', gas)
    else if (op === 'EXTCODESIZE' || op === 'BALANCE' || op === 'EXTCODEHASH') add('own code: reads of accounts', gas)
    else add('own code: everything else', gas)
    if (!CALL_OPCODES.includes(op)) continue
    // The n-th call instruction of a frame is the n-th call in its list. Calls of precompiles and of accounts without
    // code have no steps.
    const frame = currentEntry.frame.calls?.[currentEntry.next++]
    if (!frame) throw new Error('the two traces do not agree')
    if (steps[stepIndex + 1]?.depth === depth + 1) stack.push({ frame, next: 0 })
  }
  return gasByCause
}

/** Returns the gas of one instruction without the gas of the code that it calls. */
function gasOf(steps: readonly Step[], stepIndex: number): number {
  const { gas, gasCost, depth, op } = steps[stepIndex]!
  if (!CALL_OPCODES.includes(op)) return gasCost
  let end = stepIndex + 1
  while (end < steps.length && steps[end]!.depth > depth) end++
  const total = gas - steps[end]!.gas
  if (end === stepIndex + 1) return total
  const lastInnerStep = steps[end - 1]!
  return total - (steps[stepIndex + 1]!.gas - lastInnerStep.gas + lastInnerStep.gasCost)
}

function sectionOf(scenario: Scenario, columns: readonly Column[]): string {
  const causes = [...new Set(columns.flatMap(({ gasByCause }) => [...gasByCause.keys()]))]
  const [custodyColumn, , universalColumn] = columns
  const cell = (gas: number | undefined) => (gas === undefined || gas === 0 ? '–' : gas.toLocaleString('en'))
  const rows = causes
    .map((cause) => {
      const [custody, direct, universal] = columns.map(({ gasByCause }) => gasByCause.get(cause) ?? 0)
      return { cause, difference: custody! - universal!, cells: [custody, direct, universal] }
    })
    .sort((a, b) => b.difference - a.difference)
    .map(({ cause, difference, cells }) => `| ${cause} | ${[...cells, difference].map(cell).join(' | ')} |`)
  const refunds = columns.map(({ refund }) => cell(-refund))
  const ratio = (custodyColumn!.gas / universalColumn!.gas).toFixed(3)
  return `## ${scenario}

Ratio ${ratio}.

| cause | custody | direct | UniversalRouter | custody − UniversalRouter |
| --- | ---: | ---: | ---: | ---: |
${rows.join('\n')}
| refund | ${refunds.join(' | ')} | ${cell(universalColumn!.refund - custodyColumn!.refund)} |
| **charged** | ${columns.map(({ gas }) => `**${cell(gas)}**`).join(' | ')} | **${cell(custodyColumn!.gas - universalColumn!.gas)}** |`
}

/** Returns a table of the trades whose gas in custody exceeds 1.10 times the gas of a contract without checks. */
function floorTable(): string {
  const results = lastRecord<Record<Scenario, Record<Router['name'], number>>>('gas')
  if (!results) throw new Error('Run `npm run bench -- gas` first')
  const cell = (gas: number) => gas.toLocaleString('en')
  const rows = scenarios.flatMap((scenario) => {
    const { sluice: custody, sluiceDirect: direct, floor } = results[scenario]
    const limit = Math.floor(floor * 1.1)
    if (custody <= limit) return []
    return [
      `| ${scenario} | ${cell(custody)} | ${cell(limit)} | ${cell(custody - limit)} | ${cell(custody - direct)} |`,
    ]
  })
  const head = '| trade | custody | 1.10 × bare contract | difference | custody − direct |'
  return [head, '| --- | ---: | ---: | ---: | ---: |', ...rows].join('\n')
}
