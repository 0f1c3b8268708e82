/**
 * `npm run lint:contracts`: runs forge's linter on the deployed contracts. Each finding is fixed, or listed here with
 * the reason why it is none. Fails if a finding is not listed, or if a listed one no longer occurs.
 */
import { join } from 'node:path'
import { forge } from './lib/forge.ts'
import { root } from './lib/run.ts'

type AcceptedFinding = { readonly rule: string; readonly file: string; readonly findings: number; readonly why: string }

const ACCEPTED_FINDINGS: readonly AcceptedFinding[] = [
  {
    rule: 'unsafe-typecast',
    file: 'src/core/ExecutorCore.sol',
    findings: 2,
    why: 'the word holds an address in its lower 160 bits and flags above, which the cast is there to cut off',
  },
  {
    rule: 'unsafe-typecast',
    file: 'src/core/Loan.sol',
    findings: 1,
    why: 'the same: a part of the token stands above the Executor',
  },
  {
    rule: 'unsafe-typecast',
    file: 'src/dexes/uniswap-v4/UniswapV4.sol',
    findings: 2,
    why: 'BalanceDelta packs two int128 into a word; the casts take them apart',
  },
  {
    rule: 'unsafe-typecast',
    file: 'src/dexes/balancer-v2/BalancerV2.sol',
    findings: 1,
    why: 'an amount of 2^255 or more makes a limit below zero, which the vault keeps by refusing',
  },
  {
    rule: 'incorrect-shift',
    file: 'src/libraries/Inputs.sol',
    findings: 1,
    why: '1 << SHARE_BITS is 2^24, which is meant',
  },
]

const DEPLOYED_CONTRACTS = [
  'src/core',
  'src/libraries',
  'src/slots',
  'src/dexes',
  'src/london',
  'src/Guard.sol',
  'src/Executor.sol',
]
const { code, output } = await forge(['lint', '--color', 'never', ...DEPLOYED_CONTRACTS], {
  quiet: true,
  cwd: join(root, 'contracts'),
})
if (code !== 0) throw new Error(`forge lint failed:\n${output}`)

const counts = new Map<string, number>()
for (const [, rule, file] of output.matchAll(/^\w+\[([\w-]+)\]: [^\n]*\n\s*╭▸ ([^:\n]+):/gm)) {
  const key = `${rule} ${file}`
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
let unansweredCount = 0
for (const key of new Set([...counts.keys(), ...ACCEPTED_FINDINGS.map(({ rule, file }) => `${rule} ${file}`)])) {
  const answer = ACCEPTED_FINDINGS.find(({ rule, file }) => `${rule} ${file}` === key)
  const findings = counts.get(key) ?? 0
  const isSettled = findings === (answer?.findings ?? 0)
  if (!isSettled) unansweredCount += 1
  console.log(`${isSettled ? 'answered' : 'OPEN    '}  ${findings} × ${key}${answer ? `: ${answer.why}` : ''}`)
}
if (unansweredCount > 0) {
  console.log(output)
  process.exitCode = 1
}
