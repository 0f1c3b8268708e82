/**
 * `npm run bench -- simulate routers`: runs `/simulate` for transactions that users sent through routers on Ethereum, each from
 * the state before it in its block, and compares the output and gas with the mined transaction. Results in
 * `results/routers.json`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig, startServer } from '@sluice/api'
import {
  gasExplained,
  type Recorded,
  readRecorded,
  type Sent,
  type Simulated,
  sendRecorded,
  sendWithExactly,
  simulateRecorded,
  startBefore,
} from '@sluice/system-test/recorded'
import { Node } from '@sluice/system-test/wallet'
import { writePage } from '../honesty/page.ts'
import { median } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'

type Compared = {
  readonly recorded: Recorded
  readonly simulated: Simulated
  readonly sent: Sent
  readonly withExactly: Sent | undefined
}

const directory = mkdtempSync(join(tmpdir(), 'sluice-routers-'))
const compared: Compared[] = []
for (const recorded of readRecorded()) {
  const anvil = await startBefore(recorded)
  const service = await startServer(
    loadConfig({ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', DEPLOYMENTS_DIR: directory, RPC_URL_1: anvil.url }),
  )
  try {
    const node = new Node(anvil.url)
    const simulated = await simulateRecorded(service.url, recorded)
    const sent = await sendRecorded(node, recorded)
    compared.push({ recorded, simulated, sent, withExactly: await sendWithExactly(node, recorded) })
  } finally {
    await service.close()
    await anvil.stop()
  }
}
rmSync(directory, { recursive: true })

const exact = ({ simulated, sent }: Compared) => simulated.success && BigInt(simulated.amountOut) === sent.received
const name = ({ recorded, simulated }: Compared) =>
  `${recorded.router} ${recorded.hash} ${simulated.revertReason ?? simulated.amountOut}`
/** Transactions that differ. If the sender's balance cannot be set to exactly the input, the original transaction is compared. */
const unexplained = compared.filter(({ recorded, simulated, sent, withExactly = sent }) => {
  const over = simulated.gasUsed - withExactly.grossGas
  return over !== gasExplained(recorded)
})
const over = compared.map(({ simulated, sent }) => simulated.gasUsed - sent.grossGas)
const shares = compared.map(({ simulated, sent }) => simulated.gasUsed / sent.grossGas)
const byRouter = Object.groupBy(compared, ({ recorded }) => recorded.router)

record('routers', {
  transactions: compared.length,
  minedAsOnChain: compared.filter(({ sent }) => sent.asOnChain).length,
  exact: compared.filter(exact).length,
  byRouter: Object.fromEntries(
    Object.entries(byRouter).map(([router, group = []]) => [
      router,
      `${group.filter(exact).length} of ${group.length}`,
    ]),
  ),
  differing: compared.filter((each) => !exact(each)).map(name),
  gas: {
    overTheTrace: { least: Math.min(...over), p50: median(over), most: Math.max(...over) },
    ofTheTrace: { p50: rounded(median(shares), 4), most: rounded(Math.max(...shares), 4) },
    equalOnceTheSenderHoldsJustThat: compared.length - unexplained.length,
    unexplained: unexplained.map(name),
  },
})
writePage()
if (unexplained.length > 0 || !compared.every((each) => exact(each) && each.sent.asOnChain)) process.exitCode = 1
