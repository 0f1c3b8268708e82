/** Floods every endpoint with unknown addresses and hostile tokens: honest quotes succeed, and memory and state stay bounded. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService, startWorld, swapPaths, type World } from '../../../bench/lib/world.ts'
import { Connection, getRequest } from '../../../bench/load/connection.ts'
import { request } from './src/devnet.ts'
import { ask } from './src/service.ts'

const ADDRESSES = process.env.LONG ? 100_000 : 600
/** One of this many addresses is a hostile token. */
const HOSTILE = 25
/** Length of the token lists in requests. */
const LIST = 100
/** Source addresses of the attackers, used on Linux only. They differ because capacity is shared by client address. */
const ATTACKERS = ['127.0.0.66', '127.0.0.67', '127.0.0.68', '127.0.0.69']
/** Maximum growth of resident memory in megabytes. */
const MEMORY_MB = 250
/** @see packages/liquidity/src/market/limits.ts */
const LIMITS = { tokens: 5_050, facts: 100_000, pairs: 100_000, queued: 2_000 }

/** Bytecode of hostile tokens; each behaves the same for every call. */
const hostile: Readonly<Record<string, string>> = {
  // RETURN with 64 kB, and with more memory than the gas pays for.
  'a bomb of return data': '0x620100006000f3',
  'a bomb of all memory': '0x63ffffffff6000f3',
  // REVERT with 64 kB.
  'a bomb of a reason': '0x620100006000fd',
  // JUMPDEST PUSH1 0 JUMP
  'a burner of gas': '0x5b600056',
  // Returns 1 << 255 for decimals, balances, and the offset of a symbol.
  'decimals of 2^255': '0x600160ff1b60005260206000f3',
  'a length of 2^256 - 1': `0x60206000527f${'ff'.repeat(32)}60205260406000f3`,
  'a revert': '0x60006000fd',
  'an invalid instruction': '0xfe',
  'no answer': '0x00',
  'its own end': '0x33ff',
  // Calls itself with all gas.
  'endless calls': '0x60006000600060006000305af160005260206000f3',
  'a balance of one': '0x600160005260206000f3',
}

let world: World
let service: Service
const dir = mkdtempSync(join(tmpdir(), 'sluice-attack-'))
const tokens: string[] = []
beforeAll(async () => {
  world = await startWorld()
  for (const [i, code] of Object.values(hostile).entries()) {
    const address = `0x${(0xbad000 + i).toString(16).padStart(40, '0')}`
    await request(world.devnet.url, 'anvil_setCode', address, code)
    tokens.push(address)
  }
  await request(world.devnet.url, 'evm_mine')
  // On a slow machine, an honest quote may take more than the default time.
  service = await startService({ ...world.env, DATA_DIR: dir, REQUEST_TIMEOUT_MS: '120000' })
})
afterAll(async () => {
  if (service?.child.connected) await service.stop()
  await world?.stop()
  rmSync(dir, { recursive: true, force: true })
})

let drawn = 0
/** Returns the next address. Multiplication by an odd number never repeats one. */
function nextAddress(): string {
  drawn++
  if (drawn % HOSTILE === 0) return tokens[(drawn / HOSTILE) % tokens.length]!
  const word = (BigInt(drawn) * 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835n) & ((1n << 160n) - 1n)
  return `0x${word.toString(16).padStart(40, '0')}`
}
const nextList = () => Array.from({ length: LIST }, nextAddress).join()

const lists: readonly (() => string)[] = [
  () => `/prices/31337?token=${nextList()}`,
  () => `/liquidity/31337?token=${nextList()}`,
  () => `/liquidity/31337?curve=1&token=${nextList()}`,
]
const others: readonly (() => string)[] = [
  () => `/tokens/31337?token=${Array.from({ length: 10 }, nextAddress).join()}`,
  () => swap(nextAddress(), world.devnet.info.tokens.USDC!.address),
  () => swap(world.devnet.info.tokens.WETH!.address, nextAddress()),
  () => swap(nextAddress(), nextAddress()),
  () => simulation(nextAddress(), world.devnet.info.tokens.USDC!.address),
  () => simulation(world.devnet.info.tokens.WETH!.address, nextAddress()),
]
/** Mix of requests. Requests without a list are repeated, because one list has as many addresses as a hundred of them. */
const kinds = [...lists, ...Array.from({ length: 10 }, () => others).flat()]

function swap(src: string, dst: string): string {
  const from = world.devnet.info.accounts[1]!.address
  return `/aggregator/31337?${new URLSearchParams({ src, dst, amount: '1000000', from })}`
}

function simulation(tokenIn: string, tokenOut: string): string {
  const { accounts, guard } = world.devnet.info
  const fields = { from: accounts[1]!.address, to: guard, data: '0x00', tokenIn, tokenOut, amountIn: '1000000' }
  return `/simulate/31337?${new URLSearchParams({ ...fields, block: 'latest' })}`
}

async function metrics(): Promise<(name: string, labels: string) => number> {
  const { text } = await ask(`${service.url}/metrics`)
  return (name, labels) => {
    const line = text.split('\n').find((line) => line.startsWith(`${name}{${labels}}`))
    if (!line) throw new Error(`no ${name}{${labels}}`)
    return Number(line.split(' ').at(-1))
  }
}
const state = (read: Awaited<ReturnType<typeof metrics>>, kind: string) =>
  read('sluice_state_entries', `chain="31337",kind="${kind}"`)

test(`${ADDRESSES} addresses of strangers over every endpoint`, { timeout: 3_600_000 }, async () => {
  const honest = swapPaths(world.devnet)
  for (let k = 0; k < 20; k++) expect((await ask(service.url + honest())).status).toBe(200)
  const before = await metrics()
  const statuses = new Map<number, number>()
  let next = 0
  const attack = async (from: string) => {
    const connection = await Connection.open(service.url, process.platform === 'linux' ? from : undefined)
    while (drawn < ADDRESSES) {
      const { status } = await connection.send(getRequest(kinds[next++ % kinds.length]!()))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    connection.close()
  }
  let over = false
  const quotes: number[] = []
  const quote = async () => {
    while (!over) quotes.push((await ask(service.url + honest())).status)
  }
  const quoting = quote()
  await Promise.all(ATTACKERS.map(attack))
  over = true
  await quoting
  expect(new Set(quotes)).toEqual(new Set([200]))
  // Success, invalid tokens, and overload are expected; any other status is a fault of the service.
  expect([...statuses.keys()].filter((status) => ![200, 400, 422, 503, 504].includes(status))).toEqual([])
  expect(statuses.get(200)).toBeGreaterThan(0)

  const after = await metrics()
  for (const [kind, max] of Object.entries(LIMITS)) expect(state(after, kind), kind).toBeLessThanOrEqual(max)
  // Addresses without a token are never followed, and most hostile tokens return invalid values.
  expect(state(after, 'tokens') - state(before, 'tokens')).toBeLessThanOrEqual(tokens.length)
  expect(state(after, 'pools')).toBe(state(before, 'pools'))
  const resident = (read: typeof after) => read('sluice_memory_bytes', 'kind="resident"')
  expect(resident(after) - resident(before)).toBeLessThan(MEMORY_MB * 1_000_000)

  expect((await ask(service.url + honest())).status).toBe(200)
  await service.stop()
  const database = new DatabaseSync(join(dir, '31337.sqlite'), { readOnly: true })
  const rows = database.prepare('SELECT id FROM pools').all().length
  database.close()
  expect(rows).toBeGreaterThan(0)
  expect(rows).toBeLessThanOrEqual(state(after, 'pools') + state(after, 'listed'))
})
