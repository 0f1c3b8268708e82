/**
 * `npm run bench -- referee [ethereum | rollups]`: judges every transaction of the recorded blocks of Ethereum, Linea,
 * and Scroll. The blocks are mined again on their recorded state. Also judges fifty transactions that users sent
 * through routers on Ethereum, each on its original state. With an argument, it judges only Ethereum, or only Linea and
 * Scroll. Results in `results/referee.json` and `results/referee-rollups.json`. `docs/referee.md` explains their
 * limits.
 */
import { judgeRollup } from '@sluice/system-test/referee-rollups'
import { record } from '../record.ts'
import { judgeEthereum } from './ethereum.ts'

const report = (text: string) => process.stderr.write(`${text}\n`)
if (!process.argv.includes('rollups')) record('referee', await judgeEthereum(report))
if (process.argv.includes('ethereum')) process.exit()
const linea = await judgeRollup('linea', report)
const scroll = await judgeRollup('scroll', report)
record('referee-rollups', { linea, scroll })
