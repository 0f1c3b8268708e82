/**
 * `npm run bench -- simulate routers`: runs `/simulate` for transactions that users sent through routers on Ethereum.
 * Each is simulated on the state before it in its block. Compares output and gas with the mined transaction. Results in
 * `results/routers.json`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig, startServer } from '@sluice/api'
import {
  gasOfSenderCode,
  type RecordedSwap,
  type ReplayedSwap,
  readRecordedSwaps,
  type SimulatedAnswer,
  sendRecorded,
  sendWithExactInput,
  simulateRecorded,
  startBefore,
} from '@sluice/system-test/recorded'
import { Node } from '@sluice/system-test/wallet'
import { writePage } from '../honesty/page.ts'
import { median } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'

/** Results of one transaction that is executed in several ways. */
type ComparedSwap = {
  readonly recorded: RecordedSwap
  readonly simulated: SimulatedAnswer
  /** Result of the transaction, mined again on the node. */
  readonly sent: ReplayedSwap
  /**
   * Result of the transaction, mined again while the sender's balance and allowance are exactly the input. Undefined if
   * the node cannot set the balance.
   */
  readonly sentWithExactInput: ReplayedSwap | undefined
}

const directory = mkdtempSync(join(tmpdir(), 'sluice-routers-'))
const comparisons: ComparedSwap[] = []
for (const recordedSwap of readRecordedSwaps()) {
  const anvil = await startBefore(recordedSwap)
  const service = await startServer(
    loadConfig({ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', DEPLOYMENTS_DIR: directory, RPC_URL_1: anvil.url }),
  )
  try {
    const node = new Node(anvil.url)
    const simulatedSwap = await simulateRecorded(service.url, recordedSwap)
    const sentSwap = await sendRecorded(node, recordedSwap)
    comparisons.push({
      recorded: recordedSwap,
      simulated: simulatedSwap,
      sent: sentSwap,
      sentWithExactInput: await sendWithExactInput(node, recordedSwap),
    })
  } finally {
    await service.close()
    await anvil.stop()
  }
}
rmSync(directory, { recursive: true })

const isExact = ({ simulated, sent }: ComparedSwap) =>
  simulated.success && BigInt(simulated.amountOut) === sent.received
const nameOf = ({ recorded, simulated }: ComparedSwap) =>
  `${recorded.router} ${recorded.hash} ${simulated.revertReason ?? simulated.amountOut}`
/**
 * Transactions whose simulated gas differs from the gas of `sentWithExactInput` by more than the known gas of the
 * sender's code. If there is no `sentWithExactInput`, `sent` is compared.
 */
const unexplainedSwaps = comparisons.filter(({ recorded, simulated, sent, sentWithExactInput = sent }) => {
  const excessGas = simulated.gasUsed - sentWithExactInput.grossGas
  return excessGas !== gasOfSenderCode(recorded)
})
const excessGas = comparisons.map(({ simulated, sent }) => simulated.gasUsed - sent.grossGas)
const shares = comparisons.map(({ simulated, sent }) => simulated.gasUsed / sent.grossGas)
const byRouter = Object.groupBy(comparisons, ({ recorded }) => recorded.router)

record('routers', {
  transactions: comparisons.length,
  minedAsOnChain: comparisons.filter(({ sent }) => sent.matchesChain).length,
  exact: comparisons.filter(isExact).length,
  byRouter: Object.fromEntries(
    Object.entries(byRouter).map(([router, group = []]) => [
      router,
      `${group.filter(isExact).length} of ${group.length}`,
    ]),
  ),
  differing: comparisons.filter((comparison) => !isExact(comparison)).map(nameOf),
  gas: {
    overTheTrace: { least: Math.min(...excessGas), p50: median(excessGas), most: Math.max(...excessGas) },
    ofTheTrace: { p50: rounded(median(shares), 4), most: rounded(Math.max(...shares), 4) },
    equalOnceTheSenderHoldsJustThat: comparisons.length - unexplainedSwaps.length,
    unexplained: unexplainedSwaps.map(nameOf),
  },
})
writePage()
if (
  unexplainedSwaps.length > 0 ||
  !comparisons.every((comparison) => isExact(comparison) && comparison.sent.matchesChain)
)
  process.exitCode = 1
