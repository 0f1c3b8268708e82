/** Real tokens of Ethereum on a node of their own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Address, Hex } from '@sluice/chains'
import { type Anvil, startAnvil } from '@sluice/devnet'

type Account = { balance: Hex; nonce: Hex; code: number; storage?: Record<Hex, Hex> }
export type MainnetToken = {
  readonly token: Address
  readonly symbol: string | null
  readonly shares?: boolean
  readonly pools: readonly Address[]
}
type Fixture = {
  readonly chainId: number
  readonly block: { number: number; timestamp: number; gasLimit: Hex; baseFeePerGas: Hex; miner: Address }
  readonly accounts: Readonly<Record<Address, Account>>
  readonly codes: readonly Hex[]
  readonly tokens: readonly MainnetToken[]
}

const file = join(import.meta.dirname, 'fixtures/mainnet-tokens.json.gz')

export function readMainnet(): Fixture {
  return JSON.parse(gunzipSync(readFileSync(file)).toString()) as Fixture
}

export async function startMainnet({ chainId, block, accounts, codes }: Fixture): Promise<Anvil> {
  const word = (hex: string) => `0x${BigInt(hex).toString(16).padStart(64, '0')}`
  const alloc = Object.fromEntries(
    Object.entries(accounts).map(([address, { code, storage = {}, ...account }]) => [
      address,
      {
        ...account,
        code: codes[code],
        storage: Object.fromEntries(Object.entries(storage).map(([key, value]) => [word(key), word(value)])),
      },
    ]),
  )
  const { number, timestamp, gasLimit, baseFeePerGas } = block
  const genesis = {
    config: { chainId },
    alloc,
    gasLimit,
    timestamp: `0x${(timestamp - 1).toString(16)}`,
    number: `0x${(number - 1).toString(16)}`,
    difficulty: '0x0',
    baseFeePerGas,
  }
  const dir = mkdtempSync(join(tmpdir(), 'sluice-mainnet-'))
  const path = join(dir, 'genesis.json')
  writeFileSync(path, JSON.stringify(genesis))
  const flags = {
    '--init': path,
    '--number': number - 1,
    '--timestamp': timestamp - 1,
    '--gas-limit': BigInt(gasLimit),
  }
  const args = [...Object.entries(flags).flatMap(([flag, value]) => [flag, String(value)]), '--disable-code-size-limit']
  try {
    return await startAnvil({ chainId, args })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
