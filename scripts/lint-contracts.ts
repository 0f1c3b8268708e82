/**
 * `npm run lint:contracts`: runs forge's linter on the deployed contracts. `ACCEPTED_FINDINGS` lists findings in
 * correct code, with reasons. Fails if there is any other finding, or if a listed finding no longer occurs.
 */
import { join } from 'node:path'
import { forge } from './lib/forge.ts'
import { root } from './lib/run.ts'

/** Findings of one rule in one file. */
type AcceptedFindings = {
  readonly rule: string
  readonly file: string
  readonly count: number
  readonly why: string
}

const ACCEPTED_FINDINGS: readonly AcceptedFindings[] = [
  {
    rule: 'unsafe-typecast',
    file: 'src/core/ExecutorCore.sol',
    count: 2,
    why: 'the lower 160 bits of the word are an address; the cast removes the flags above them',
  },
  {
    rule: 'unsafe-typecast',
    file: 'src/core/Loan.sol',
    count: 1,
    why: 'the lower 160 bits of the word are the Executor; the cast removes the part of the token above them',
  },
  {
    rule: 'unsafe-typecast',
    file: 'src/dexes/uniswap-v4/UniswapV4.sol',
    count: 2,
    why: 'BalanceDelta packs two int128 into a word; the casts separate them',
  },
  {
    rule: 'unsafe-typecast',
    file: 'src/dexes/pancake-infinity/PancakeInfinity.sol',
    count: 2,
    why: 'BalanceDelta packs two int128 into a word; the casts separate them',
  },
  {
    rule: 'unsafe-typecast',
    file: 'src/dexes/ekubo/Ekubo.sol',
    count: 2,
    why: 'one cast separates the int128 of a balance change; an output above 2^128 has the wrong sign, and its lower half exceeds 2^127',
  },
  {
    rule: 'unsafe-typecast',
    file: 'src/dexes/iziswap/Iziswap.sol',
    count: 2,
    why: 'larger amounts are refused before the casts',
  },
  {
    rule: 'incorrect-shift',
    file: 'src/dexes/ambient/Ambient.sol',
    count: 1,
    why: '1 << n is the power of two that the byte of the program names, as intended',
  },
  {
    rule: 'unsafe-typecast',
    file: 'src/dexes/balancer-v2/BalancerV2.sol',
    count: 1,
    why: 'an amount of 2^255 or more becomes a negative limit, so the vault refuses the swap',
  },
  {
    rule: 'unsafe-typecast',
    file: 'src/dexes/curve/Curve.sol',
    count: 1,
    why: 'the first four bytes of the shifted word are the selector of the variant, as intended',
  },
  {
    rule: 'incorrect-shift',
    file: 'src/libraries/Inputs.sol',
    count: 1,
    why: '1 << SHARE_BITS is 2^24, as intended',
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
// A finding starts with two lines, such as `note[rule-name]: text` and `  ╭▸ src/Guard.sol:12:5`.
for (const [, rule, file] of output.matchAll(/^\w+\[([\w-]+)\]: [^\n]*\n\s*╭▸ ([^:\n]+):/gm)) {
  const key = `${rule} ${file}`
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
let openCount = 0
for (const key of new Set([...counts.keys(), ...ACCEPTED_FINDINGS.map(({ rule, file }) => `${rule} ${file}`)])) {
  const accepted = ACCEPTED_FINDINGS.find(({ rule, file }) => `${rule} ${file}` === key)
  const count = counts.get(key) ?? 0
  const isAccepted = count === (accepted?.count ?? 0)
  if (!isAccepted) openCount += 1
  console.log(`${isAccepted ? 'accepted' : 'OPEN    '}  ${count} × ${key}${accepted ? `: ${accepted.why}` : ''}`)
}
if (openCount > 0) {
  console.log(output)
  process.exitCode = 1
}
