/** Tests of the chain check on the local chain. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChainFile, formatChainFile, loadRegistry } from '@sluice/chains'
import { type Anvil, type Devnet, devnetChain, startAnvil, startDevnet } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkChain } from './check.ts'
import type { Finding } from './finding.ts'
import { formatDiff } from './report.ts'

let devnet: Devnet
let otherChain: Anvil
const dir = mkdtempSync(join(tmpdir(), 'sluice-check-'))

beforeAll(async () => {
  ;[devnet, otherChain] = await Promise.all([startDevnet(), startAnvil({ chainId: 4242 })])
})
afterAll(async () => {
  await Promise.all([devnet?.stop(), otherChain?.stop()])
  rmSync(dir, { recursive: true })
})

const original = () => structuredClone(devnetChain(devnet.info, devnet.url))

async function check(file: ChainFile, urls = [devnet.url]): Promise<readonly Finding[]> {
  writeFileSync(join(dir, `${file.chainId}.json`), formatChainFile(file))
  const chain = loadRegistry({ chainsDir: dir, deploymentsDir: dir }).chain(file.chainId)!
  return checkChain(chain, devnet.info.deployment, urls)
}
const problems = (findings: readonly Finding[]) => findings.filter(({ status }) => status === 'fail')

test('finds no fault in a correct chain file', async () => {
  const findings = await check(original())
  expect(problems(findings)).toEqual([])
  const passed = findings.filter(({ status }) => status === 'pass').map((finding) => finding.check)
  expect(passed).toEqual(
    expect.arrayContaining([
      'chain id',
      'state overrides',
      'deposit and withdraw',
      'anchor USDC',
      'L1 fee model',
      'Guard',
    ]),
  )
  expect(passed).toContain('pool address Uniswap V2')
  expect(passed).toContain('pool address Uniswap V3')
})

describe('finds and corrects', () => {
  test.each<[what: string, spoil: (file: ChainFile) => void]>([
    [
      'anchor USDC',
      (file) => {
        file.stables[0]!.decimals = 18
      },
    ],
    [
      'anchor DAI',
      (file) => {
        file.stables[2]!.decimals = null
      },
    ],
    [
      'push0',
      (file) => {
        delete file.evm.push0
      },
    ],
    [
      'mcopy',
      (file) => {
        file.evm.mcopy = false
      },
    ],
    [
      'block time',
      (file) => {
        file.blockTimeMs = 60_000
      },
    ],
    [
      'wrapped native decimals',
      (file) => {
        file.wrappedNative!.decimals = 6
      },
    ],
  ])('%s', async (what, spoil) => {
    const file = original()
    spoil(file)
    const findings = (await check(file)).filter((finding) => finding.check === what && finding.fix)
    expect(findings).toHaveLength(1)
    const before = formatChainFile(file)
    findings[0]!.fix!(file)
    expect(file).toEqual(original())
    expect(formatDiff('31337.json', before, formatChainFile(file))).toMatch(
      /^--- a\/31337\.json\n\+\+\+ b\/31337\.json\n@@ /,
    )
  })

  test('an endpoint of another chain', async () => {
    const file = original()
    const [problem] = problems(await check(file, [otherChain.url, devnet.url]))
    expect(problem!.check).toBe('chain id')
    file.rpcUrls = [otherChain.url, devnet.url]
    problem!.fix!(file)
    expect(file.rpcUrls).toEqual([devnet.url])
  })
})

describe('finds', () => {
  const nowhere = '0x00000000000000000000000000000000DeaDBeef'
  const hash = `0x${'ab'.repeat(32)}`
  test.each<[what: string, spoil: (file: ChainFile) => void]>([
    [
      'factory Uniswap V2',
      (file) => {
        file.dexes[0]!.address = nowhere
      },
    ],
    [
      'pool address Uniswap V2',
      (file) => {
        file.dexes[0]!.initCodeHash = hash
      },
    ],
    [
      'deposit and withdraw',
      (file) => {
        file.wrappedNative = { ...file.stables[0]! }
      },
    ],
    [
      'wrapped native',
      (file) => {
        file.wrappedNative!.address = nowhere
      },
    ],
    [
      'anchor USDC',
      (file) => {
        file.stables[0]!.address = nowhere
      },
    ],
    [
      'L1 fee model',
      (file) => {
        file.l1FeeModel = 'op-stack'
      },
    ],
  ])('a wrong %s, without a correction', async (what, spoil) => {
    const file = original()
    spoil(file)
    const findings = problems(await check(file)).filter((finding) => finding.check === what)
    expect(findings).toHaveLength(1)
    expect(findings[0]!.fix).toBeUndefined()
  })
})

test('reports that nothing is known about a chain that does not answer', async () => {
  const findings = await check(original(), ['http://127.0.0.1:9'])
  expect(findings.map(({ check, status }) => [check, status])).toEqual([['endpoints', 'unknown']])
})
