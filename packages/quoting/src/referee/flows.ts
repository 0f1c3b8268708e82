/**
 * Reads the flows of a transaction: transfers of ERC-20 tokens from its logs, and transfers of the native token from a
 * trace or from logs. Does not use calldata.
 */
import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { accountIn, DEPOSIT, TRANSFER, WITHDRAWAL } from '../topics.ts'

/** Log of a receipt or of a simulation. */
export type FlowLog = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }

/** A transfer of an amount in base units. */
export type TokenTransfer = {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
}

/** Balance changes in base units, by account and then by token. Unchanged balances have no entry. */
export type Changes = ReadonlyMap<Address, ReadonlyMap<Address, bigint>>

/**
 * Reads the transfers of ERC-20 tokens from logs, with the mints and burns of the wrapped native token. The wrapped
 * native token logs mints and burns as deposits and withdrawals. Its contract counts as the sender of a mint and as the
 * recipient of a burn.
 */
export function tokenFlows(logs: readonly FlowLog[], wrappedNative: Address | null): readonly TokenTransfer[] {
  const transfers = logs.flatMap((log): TokenTransfer[] => {
    const [topic, from, to, idTopic] = log.topics
    if (log.address === EIP7708_LOG_ADDRESS) return []
    // The transfer of an NFT has a fourth topic, the id of the NFT.
    if (topic !== TRANSFER || !from || !to || idTopic !== undefined || !isWord(log.data)) return []
    return [flowOf(log.address, accountIn(from), accountIn(to), BigInt(log.data), wrappedNative)]
  })
  if (!wrappedNative) return transfers
  // Some wrapped native tokens also log a transfer from or to the zero address. A mint or burn must not count twice.
  const loggedCounts = new Map<string, number>()
  for (const flow of transfers) {
    if (flow.token === wrappedNative) loggedCounts.set(flowKeyOf(flow), (loggedCounts.get(flowKeyOf(flow)) ?? 0) + 1)
  }
  const wrapTransfers = logs.flatMap((log): TokenTransfer[] => {
    const [topic, accountTopic, extraTopic] = log.topics
    if (log.address !== wrappedNative || !accountTopic || extraTopic !== undefined || !isWord(log.data)) return []
    if (topic !== DEPOSIT && topic !== WITHDRAWAL) return []
    const [from, to] =
      topic === DEPOSIT ? [wrappedNative, accountIn(accountTopic)] : [accountIn(accountTopic), wrappedNative]
    const flow = { token: wrappedNative, from, to, amount: BigInt(log.data) }
    const count = loggedCounts.get(flowKeyOf(flow)) ?? 0
    if (count === 0) return [flow]
    loggedCounts.set(flowKeyOf(flow), count - 1)
    return []
  })
  return [...transfers, ...wrapTransfers]
}

/** Address that emits the logs of native transfers on chains with EIP-7708. */
const EIP7708_LOG_ADDRESS = toAddress('0xfffffffffffffffffffffffffffffffffffffffe')

/** Reads native transfers from logs; undefined if there are none, as on chains without EIP-7708. */
export function recordedNativeFlows(logs: readonly FlowLog[]): readonly TokenTransfer[] | undefined {
  const flows = logs.flatMap(({ address, topics: [topic, from, to], data }): TokenTransfer[] =>
    address === EIP7708_LOG_ADDRESS && topic === TRANSFER && from && to && isWord(data)
      ? [{ token: NATIVE, from: accountIn(from), to: accountIn(to), amount: BigInt(data) }]
      : [],
  )
  return flows.length > 0 ? flows : undefined
}

const flowKeyOf = ({ from, to, amount }: TokenTransfer) => `${from} ${to} ${amount}`

/** Creates a transfer. In mints and burns of the wrapped native token, its contract replaces the zero address. */
function flowOf(
  token: Address,
  from: Address,
  to: Address,
  amount: bigint,
  wrappedNative: Address | null,
): TokenTransfer {
  const toHolder = (address: Address) => (token === wrappedNative && address === ZERO_ADDRESS ? wrappedNative : address)
  return { token, from: toHolder(from), to: toHolder(to), amount }
}

/** Sums flows by account and token. Excludes the zero address, which mints and burns. */
export function changesOf(flows: readonly TokenTransfer[]): Changes {
  const changes = new Map<Address, Map<Address, bigint>>()
  const add = (account: Address, token: Address, amount: bigint) => {
    const tokenChanges = changes.get(account) ?? new Map<Address, bigint>()
    changes.set(account, tokenChanges)
    const sum = (tokenChanges.get(token) ?? 0n) + amount
    if (sum === 0n) tokenChanges.delete(token)
    else tokenChanges.set(token, sum)
  }
  for (const { token, from, to, amount } of flows) {
    add(from, token, -amount)
    add(to, token, amount)
  }
  changes.delete(ZERO_ADDRESS)
  for (const [account, tokenChanges] of changes) if (tokenChanges.size === 0) changes.delete(account)
  return changes
}

/** A frame of a call trace, in the format of Geth's `callTracer`. */
export type CallFrame = {
  readonly type: string
  readonly from: string
  readonly to?: string | undefined
  readonly value?: string | undefined
  readonly error?: string | undefined
  readonly calls?: readonly CallFrame[] | undefined
}

/** Reads native transfers from a call trace, without reverted frames and the frames that these called. */
export function nativeFlows(frame: CallFrame): readonly TokenTransfer[] {
  const flows: TokenTransfer[] = []
  const frames: CallFrame[] = [frame]
  for (let nextFrame = frames.pop(); nextFrame; nextFrame = frames.pop()) {
    const { type, from, to, value, error, calls = [] } = nextFrame
    if (error !== undefined) continue
    // DELEGATECALL repeats the value of the call around it, and the value of CALLCODE stays in the account.
    const movesValue = ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'].includes(type.toUpperCase())
    const amount = BigInt(value ?? '0x0')
    if (movesValue && to && amount > 0n) flows.push({ token: NATIVE, from: toAddress(from), to: toAddress(to), amount })
    frames.push(...calls)
  }
  return flows
}

const isWord = (data: Hex) => /^0x[0-9a-fA-F]{64}$/.test(data)
