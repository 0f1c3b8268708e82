/** Token transfers of a transaction, read from its logs and its native transfers. Calldata is not used. */
import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { accountIn, DEPOSIT, TRANSFER, WITHDRAWAL } from '../topics.ts'

/** Log of a receipt or of a simulation. */
export type FlowLog = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }

/** Base units that went from one account to another. */
export type TokenTransfer = {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
}

/** Balance changes in base units, by account and then by token. Unchanged balances have no entry. */
export type Changes = ReadonlyMap<Address, ReadonlyMap<Address, bigint>>

/**
 * Transfers of ERC-20 tokens, and mints and burns of the native token's wrapper. The wrapper emits no transfer event
 * for mints and burns. Its own account counts as the sender of mints and the recipient of burns.
 */
export function tokenFlows(logs: readonly FlowLog[], wrapper: Address | null): readonly TokenTransfer[] {
  const transfers = logs.flatMap((log): TokenTransfer[] => {
    const [topic, from, to, nextTopic] = log.topics
    if (log.address === NATIVE_TRANSFERS) return []
    // An NFT's transfer has its id as a fourth topic.
    if (topic !== TRANSFER || !from || !to || nextTopic !== undefined || !isWord(log.data)) return []
    return [flowOf(log.address, accountIn(from), accountIn(to), BigInt(log.data), wrapper)]
  })
  if (!wrapper) return transfers
  // Some wrappers also log a transfer from or to the zero address, so that the same mint or burn must not count twice.
  const loggedCounts = new Map<string, number>()
  for (const flow of transfers) {
    if (flow.token === wrapper) loggedCounts.set(flowKeyOf(flow), (loggedCounts.get(flowKeyOf(flow)) ?? 0) + 1)
  }
  const wrapTransfers = logs.flatMap((log): TokenTransfer[] => {
    const [topic, whose, more] = log.topics
    if (log.address !== wrapper || !whose || more !== undefined || !isWord(log.data)) return []
    if (topic !== DEPOSIT && topic !== WITHDRAWAL) return []
    const [from, to] = topic === DEPOSIT ? [wrapper, accountIn(whose)] : [accountIn(whose), wrapper]
    const flow = { token: wrapper, from, to, amount: BigInt(log.data) }
    const count = loggedCounts.get(flowKeyOf(flow)) ?? 0
    if (count === 0) return [flow]
    loggedCounts.set(flowKeyOf(flow), count - 1)
    return []
  })
  return [...transfers, ...wrapTransfers]
}

/** Address of the logs by which chains with EIP-7708 record moves of the native token. */
const NATIVE_TRANSFERS = toAddress('0xfffffffffffffffffffffffffffffffffffffffe')

/** Native transfers that the logs record; undefined if there are none, as on chains without EIP-7708. */
export function recordedNativeFlows(logs: readonly FlowLog[]): readonly TokenTransfer[] | undefined {
  const flows = logs.flatMap(({ address, topics: [topic, from, to], data }): TokenTransfer[] =>
    address === NATIVE_TRANSFERS && topic === TRANSFER && from && to && isWord(data)
      ? [{ token: NATIVE, from: accountIn(from), to: accountIn(to), amount: BigInt(data) }]
      : [],
  )
  return flows.length > 0 ? flows : undefined
}

const flowKeyOf = ({ from, to, amount }: TokenTransfer) => `${from} ${to} ${amount}`

function flowOf(token: Address, from: Address, to: Address, amount: bigint, wrapper: Address | null): TokenTransfer {
  const asWrapper = (address: Address) => (token === wrapper && address === ZERO_ADDRESS ? wrapper : address)
  return { token, from: asWrapper(from), to: asWrapper(to), amount }
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

/** A frame of a call trace, as `callTracer` has it. */
export type CallFrame = {
  readonly type: string
  readonly from: string
  readonly to?: string | undefined
  readonly value?: string | undefined
  readonly error?: string | undefined
  readonly calls?: readonly CallFrame[] | undefined
}

/** Native transfers in a call trace, excluding reverted frames and the frames that they called. */
export function nativeFlows(frame: CallFrame): readonly TokenTransfer[] {
  const flows: TokenTransfer[] = []
  const frames: CallFrame[] = [frame]
  for (let next = frames.pop(); next; next = frames.pop()) {
    const { type, from, to, value, error, calls = [] } = next
    if (error !== undefined) continue
    // A delegate call repeats the value of the call that it is part of, and CALLCODE stays within the account.
    const moves = ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'].includes(type.toUpperCase())
    const amount = BigInt(value ?? '0x0')
    if (moves && to && amount > 0n) flows.push({ token: NATIVE, from: toAddress(from), to: toAddress(to), amount })
    frames.push(...calls)
  }
  return flows
}

const isWord = (data: Hex) => /^0x[0-9a-fA-F]{64}$/.test(data)
