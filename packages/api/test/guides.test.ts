/** Runs the code blocks of docs/guides on the local chain and compares their output with the printed output. */
import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { accounts as accountsOf, swapContracts } from '@sluice/devnet'
import { beforeAll, describe, expect, test } from 'vitest'
import { localService } from './src/devnet.ts'
import { warmUp } from './src/service.ts'

const root = join(import.meta.dirname, '../../..')
const guides = join(root, 'docs/guides')
const local = localService()
const has = (command: string) => spawnSync(command, ['--version']).status === 0

/** Languages of blocks that are run. Blocks of `sh` are skipped, because they start the service that the test has started. */
const LANGUAGES = {
  bash: ['bash', ['-euo', 'pipefail', '-c']],
  ts: [process.execPath, ['--input-type=module-typescript', '--eval']],
  python: ['python3', ['-c']],
} as const
type Language = keyof typeof LANGUAGES
/** Commands that the blocks of a language need; without them the blocks are skipped. */
const NEEDS: Readonly<Record<Language, readonly string[]>> = { bash: ['bash', 'curl'], ts: [], python: ['python3'] }
const missing = new Set(Object.values(NEEDS).flatMap((commands) => commands.filter((command) => !has(command))))

type Block = { readonly line: number; readonly language: Language; readonly code: string; readonly expected: string }

/** Maximum relative difference of an amount or price from the printed one. */
const TOLERANCE = 0.1

beforeAll(async () => {
  const { WETH, USDC } = local.devnet.info.tokens
  const query = `src=${WETH!.address}&dst=${USDC!.address}&amount=${10n ** 18n}`
  await warmUp(local.server.url, `/quote/31337?${query}`)
  await warmUp(local.server.url, `/prices/31337?token=${WETH!.address},${USDC!.address}`)
})

/** Returns the blocks to run, each with the output block that follows it. */
function blocksOf(markdown: string): Block[] {
  const all = [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ index, 1: language, 2: code }) => ({
    line: markdown.slice(0, index).split('\n').length,
    language: language!,
    code: code!,
  }))
  return all.flatMap((block, k) => {
    if (!(block.language in LANGUAGES)) return []
    const next = all[k + 1]
    expect(next?.language, `output of the block at line ${block.line}`).toBe('json')
    return [{ ...block, language: block.language as Language, expected: next!.code }]
  })
}

async function run({ language, code }: Block): Promise<string> {
  const { tokens } = local.devnet.info
  const [account] = accountsOf(1)
  const [command, args] = LANGUAGES[language]
  const env = {
    ...process.env,
    ...{ SLUICE_URL: local.server.url, CHAIN: '31337', RPC_URL: local.devnet.url },
    ...{ WETH: tokens.WETH!.address, USDC: tokens.USDC!.address },
    ...{ FROM: account!.address, PRIVATE_KEY: account!.privateKey },
    CONTRACTS: JSON.stringify(swapContracts(local.devnet.info)),
  }
  const { stdout } = await promisify(execFile)(command, [...args, code], { env, cwd: root })
  return stdout
}

/** Returns the path and reason of the first difference. An ellipsis matches any value; as a key it allows further fields. */
function difference(actual: unknown, printed: unknown, path = ''): string | undefined {
  if (printed === '…') return undefined
  if (Array.isArray(printed)) return differenceOfLists(actual, printed, path)
  if (typeof printed === 'object' && printed !== null) return differenceOfObjects(actual, printed, path)
  const isSame =
    typeof printed === 'string'
      ? isLike(String(actual), printed)
      : isLike(JSON.stringify(actual), JSON.stringify(printed))
  return isSame && typeof actual === typeof printed
    ? undefined
    : `${path}: ${JSON.stringify(actual)}, not ${JSON.stringify(printed)}`
}

function differenceOfLists(actual: unknown, printed: readonly unknown[], path: string): string | undefined {
  if (!Array.isArray(actual) || actual.length === 0) return `${path}: no list`
  if (printed.at(-1) !== '…' && printed.length > actual.length) return `${path}: ${actual.length} elements`
  return first(
    printed.filter((element) => element !== '…').map((element, k) => difference(actual[k], element, `${path}[${k}]`)),
  )
}

function differenceOfObjects(actual: unknown, printed: object, path: string): string | undefined {
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return `${path}: no object`
  const keys = Object.keys(actual)
  const patterns = Object.entries(printed).filter(([key]) => key !== '…')
  if (!('…' in printed) && keys.length < patterns.length) return `${path}: fields ${keys}`
  return first(
    patterns.map(([key, value]) => {
      const match = keys.filter((actualKey) => isLike(actualKey, key))
      if (match.length === 0) return `${path}.${key}: missing`
      return first(
        match.map((actualKey) =>
          difference((actual as Record<string, unknown>)[actualKey], value, `${path}.${actualKey}`),
        ),
      )
    }),
  )
}

const first = (all: readonly (string | undefined)[]) => all.find((one) => one !== undefined)

/** Returns true if a text equals the printed one, or a number is close to it. An ellipsis matches any text. */
function isLike(actual: string, printed: string): boolean {
  if (/^\d+(\.\d+)?$/.test(printed) && /^\d+(\.\d+)?$/.test(actual))
    return Math.abs(Number(actual) - Number(printed)) <= TOLERANCE * Number(printed)
  const pattern = printed.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pattern.join('.*')}$`, 's').test(actual)
}

test('a wrong response is detected', () => {
  expect(difference({ a: '100', b: 'x' }, { a: '104' })).toBeUndefined()
  expect(difference({ a: '100' }, { a: '150' })).toContain('.a')
  expect(difference({ a: 100 }, { a: '100' })).toContain('.a')
  expect(difference({ a: '0x12' }, { a: '0x…' })).toBeUndefined()
  expect(difference({ a: 'landed' }, { a: 'unknown', '…': '…' })).toContain('.a')
  expect(difference({ b: 1 }, { a: '…' })).toContain('.a')
  expect(difference({}, { a: '…' })).toContain('fields')
  expect(difference({ a: [] }, { a: ['…'] })).toContain('.a')
})

const files = readdirSync(guides).filter((name) => name.endsWith('.md'))
test('the guides are found', () => expect(files.length).toBeGreaterThan(9))

/** Guides whose blocks run in the daily profile. Tests of the client run the others' calls. */
const DAILY = ['quote.md']

describe.each(files)('%s', (file) => {
  const tags = DAILY.includes(file) ? [] : ['long']
  const blocks = blocksOf(readFileSync(join(guides, file), 'utf8'))
  test('has a code block to run', () => expect(blocks.length).toBeGreaterThan(0))
  for (const block of blocks)
    test.skipIf(NEEDS[block.language].some((command) => missing.has(command)))(
      `line ${block.line}: ${block.language}`,
      { tags },
      async () => {
        const printed = await run(block)
        expect(difference(JSON.parse(printed), JSON.parse(block.expected)), printed.slice(0, 2_000)).toBeUndefined()
      },
    )
})
