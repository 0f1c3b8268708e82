/**
 * Accounts and calls of the differential fuzz of the Guard, and the encoding of the calls. World.sol defines the same
 * accounts. A script is a list of calls (`Move`) that a player makes.
 */
import { IGuard__factory } from '@sluice/bindings'
import { FunctionFragment, id } from 'ethers'

/** Number of an account, which is its index in `ADDRESSES`. */
export type Account = number

/** Accounts below this number have balances. */
export const HOLDERS = 14
export const USERS: readonly Account[] = [0, 1, 2]
export const EXECUTORS: readonly Account[] = [3, 4]
/** Accounts below this number are players: they run scripts and grant allowances. */
export const PLAYERS = 6
/** A player that is only a recipient. */
export const RECIPIENT: Account = 5
/** An account without code. */
export const PLAIN: Account = 6
export const GUARD: Account = 7
/**
 * Tokens of World.sol. Their configuration makes them ordinary or hostile. Each is also a wrapper of the native token.
 */
export const MODEL_TOKENS: readonly Account[] = [8, 9, 10, 11]
export const WETH: Account = 12
export const TOKENS: readonly Account[] = [...MODEL_TOKENS, WETH]
/** The zero address. As a token it means the native token, as an account nobody. */
export const ZERO: Account = 13
/** Permit2, which has no balances. */
export const PERMIT2: Account = 14
/**
 * Spenders whose allowances are part of the compared state, in the order of World.sol: Guard, Permit2, and the first
 * Executor.
 */
export const SPENDERS: readonly Account[] = [GUARD, PERMIT2, 3]

const MASK = (1n << 160n) - 1n
const hexOf = (account: Account): string => {
  if (account < 3)
    return [
      '7e5f4552091a69125d5dfcb7b8c2659029395bdf',
      '2b5ad5c4795c026514f8317c7a215e218dccd6cf',
      '6813eb9362372eef6200f3b1dbc3f819671cba69',
    ][account]!
  if (account === ZERO) return '0'.repeat(40)
  if (account === PERMIT2) return '000000000022d473030f116ddee9f6b43ac78ba3'
  const value =
    (0x00a1e2d3c4b5a697887766554433221100ffeedd00n + BigInt(account) * 0x000100000001000000010000000100000001000001n) &
    MASK
  return value.toString(16).padStart(40, '0')
}
/** Addresses without 0x. */
export const ADDRESSES: readonly string[] = Array.from({ length: PERMIT2 + 1 }, (_, account) => hexOf(account))
export const addressOf = (account: Account): bigint => BigInt(`0x${ADDRESSES[account]!}`)
/** Addresses as words of 32 bytes, without 0x. */
const PADDED = ADDRESSES.map((address) => address.padStart(64, '0'))

/** The struct `Order` of IGuard, with account numbers instead of addresses. */
export type Order = {
  readonly tokenIn: Account
  readonly tokenOut: Account
  readonly minOutput: bigint
  readonly deadline: bigint
  readonly executor: Account
}
export type Payout = {
  readonly recipient: Account
  readonly feePpm: bigint
  readonly feeRecipient: Account
  readonly wrapper: Account
}
export const PERMIT_KINDS = ['eip2612', 'dai', 'permit2'] as const
export type PermitKind = (typeof PERMIT_KINDS)[number]
/** A signature, with a statement (see permits.ts) of the signed fields. A forged signature has an empty statement. */
export type Signature = { readonly statement: string; readonly hex: string }
export type Permit = {
  readonly kind: PermitKind
  readonly amount: bigint
  readonly nonce: bigint
  readonly deadline: bigint
  /** Null if the signature is empty. */
  readonly signature: Signature | null
}
export type SwapName =
  | 'swap'
  | 'swapNative'
  | 'swapWithPayout'
  | 'swapDirect'
  | 'swapWithPermit'
  | 'swapDirectWithPermit'
/** One of the Guard's six swaps. Fields that the function does not have are ignored. */
export type Swap = {
  readonly name: SwapName
  readonly amountIn: bigint
  readonly order: Order
  readonly payout: Payout
  readonly recipient: Account
  readonly permit: Permit
  readonly program: readonly Move[]
  /** Selects an address in the calldata in which a bit above the 160 bits is set. The Guard must reject it. */
  readonly widenedWord: number | undefined
}

/**
 * A call; `kind` is the called function. `native` is a transfer of native tokens without calldata. `approve2`,
 * `permit2`, and `transfer2` are functions of Permit2. `react` sets the reaction of a player to received native tokens:
 * mode 0 accepts them, mode 1 reverts, and mode 2 runs the script.
 */
export type Call =
  | { readonly kind: 'native' }
  | { readonly kind: 'transfer'; readonly to: Account; readonly amount: bigint }
  | { readonly kind: 'transferFrom'; readonly from: Account; readonly to: Account; readonly amount: bigint }
  | { readonly kind: 'approve'; readonly spender: Account; readonly amount: bigint }
  | { readonly kind: 'mint'; readonly to: Account; readonly amount: bigint }
  | { readonly kind: 'configure'; readonly config: bigint }
  | { readonly kind: 'setHook'; readonly player: Account; readonly script: readonly Move[] }
  | { readonly kind: 'deposit' }
  | { readonly kind: 'permit'; readonly owner: Account; readonly spender: Account; readonly permit: Permit }
  | { readonly kind: 'approve2'; readonly token: Account; readonly amount: bigint; readonly expiration: bigint }
  | { readonly kind: 'permit2'; readonly owner: Account; readonly token: Account; readonly permit: Permit }
  | {
      readonly kind: 'transfer2'
      readonly from: Account
      readonly to: Account
      readonly amount: bigint
      readonly token: Account
    }
  | { readonly kind: 'play'; readonly script: readonly Move[] }
  | { readonly kind: 'react'; readonly mode: bigint; readonly script: readonly Move[] }
  | { readonly kind: 'swap'; readonly swap: Swap }
  | { readonly kind: 'pullInput'; readonly to: Account; readonly amount: bigint }
  | { readonly kind: 'remaining' }

/** One call of a script. */
export type Move = {
  readonly to: Account
  readonly value: bigint
  readonly call: Call
  /** True if a failure of the call reverts the script. */
  readonly mustSucceed: boolean
  /** Encoding of the call in a script, without 0x. */
  readonly hex: string
}

const selector = (signature: string): string => id(signature).slice(2, 10)
const FUNCTION_SELECTORS = {
  transfer: selector('transfer(address,uint256)'),
  transferFrom: selector('transferFrom(address,address,uint256)'),
  approve: selector('approve(address,uint256)'),
  mint: selector('mint(address,uint256)'),
  configure: selector('configure(uint256)'),
  setHook: selector('setHook(address)'),
  deposit: selector('deposit()'),
  eip2612: selector('permit(address,address,uint256,uint256,uint8,bytes32,bytes32)'),
  dai: selector('permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)'),
  approve2: selector('approve(address,address,uint160,uint48)'),
  permit2: selector('permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)'),
  transfer2: selector('transferFrom(address,address,uint160,address)'),
  play: selector('play()'),
  react: selector('react(uint256)'),
}
const guard = IGuard__factory.createInterface()
const GUARD_SELECTORS: Readonly<Record<string, string>> = Object.fromEntries(
  guard.fragments.flatMap((fragment) =>
    fragment instanceof FunctionFragment ? [[fragment.name, fragment.selector.slice(2)]] : [],
  ),
)

const word = (value: bigint): string => value.toString(16).padStart(64, '0')
const LOW_160 = (1n << 160n) - 1n
const LOW_48 = (1n << 48n) - 1n

/** Encodes `bytes`: the length, followed by the data padded to whole words. */
function tail(hex: string): string {
  const bytes = hex.length / 2
  return word(BigInt(bytes)) + hex.padEnd(Math.ceil(bytes / 32) * 64, '0')
}

export function scriptHex(script: readonly Move[]): string {
  let hex = ''
  for (const move of script) hex += move.hex
  return hex
}

export function move(to: Account, call: Call, { value = 0n, mustSucceed = false } = {}): Move {
  const data = callHex(call)
  const head = ADDRESSES[to]! + value.toString(16).padStart(32, '0') + (mustSucceed ? '01' : '00')
  return { to, value, call, mustSucceed, hex: head + (data.length / 2).toString(16).padStart(6, '0') + data }
}

/** Long: one case for each function. */
function callHex(call: Call): string {
  switch (call.kind) {
    case 'native':
      return ''
    case 'transfer':
      return FUNCTION_SELECTORS.transfer + PADDED[call.to]! + word(call.amount)
    case 'transferFrom':
      return FUNCTION_SELECTORS.transferFrom + PADDED[call.from]! + PADDED[call.to]! + word(call.amount)
    case 'approve':
      return FUNCTION_SELECTORS.approve + PADDED[call.spender]! + word(call.amount)
    case 'mint':
      return FUNCTION_SELECTORS.mint + PADDED[call.to]! + word(call.amount)
    case 'configure':
      return FUNCTION_SELECTORS.configure + word(call.config)
    case 'setHook':
      return FUNCTION_SELECTORS.setHook + PADDED[call.player]! + scriptHex(call.script)
    case 'deposit':
      return FUNCTION_SELECTORS.deposit
    case 'permit': {
      const { kind, amount, nonce, deadline, signature } = call.permit
      const [r, s, v] = [signature!.hex.slice(0, 64), signature!.hex.slice(64, 128), signature!.hex.slice(128, 130)]
      const head = PADDED[call.owner]! + PADDED[call.spender]!
      const rsv = v.padStart(64, '0') + r + s
      return kind === 'dai'
        ? FUNCTION_SELECTORS.dai + head + word(nonce) + word(deadline) + word(1n) + rsv
        : FUNCTION_SELECTORS.eip2612 + head + word(amount) + word(deadline) + rsv
    }
    case 'approve2':
      return (
        FUNCTION_SELECTORS.approve2 + PADDED[call.token]! + PADDED[GUARD]! + word(call.amount) + word(call.expiration)
      )
    case 'permit2': {
      const { amount, nonce, deadline, signature } = call.permit
      const details = PADDED[call.token]! + word(amount & LOW_160) + word(deadline & LOW_48) + word(nonce & LOW_48)
      return (
        FUNCTION_SELECTORS.permit2 +
        PADDED[call.owner]! +
        details +
        PADDED[GUARD]! +
        word(deadline) +
        word(0x100n) +
        tail(signature!.hex)
      )
    }
    case 'transfer2':
      return (
        FUNCTION_SELECTORS.transfer2 + PADDED[call.from]! + PADDED[call.to]! + word(call.amount) + PADDED[call.token]!
      )
    case 'play':
      return FUNCTION_SELECTORS.play + scriptHex(call.script)
    case 'react':
      return FUNCTION_SELECTORS.react + word(call.mode) + scriptHex(call.script)
    case 'pullInput':
      return GUARD_SELECTORS.pullInput! + PADDED[call.to]! + word(call.amount)
    case 'remaining':
      return GUARD_SELECTORS.remaining!
    case 'swap':
      return swapHex(call.swap)
  }
}

function swapHex({ name, amountIn, order, payout, recipient, permit, program, widenedWord }: Swap): string {
  const { tokenIn, tokenOut, minOutput, deadline, executor } = order
  const orderWords = [PADDED[tokenIn]!, PADDED[tokenOut]!, word(minOutput), word(deadline), PADDED[executor]!]
  const payoutWords = [
    PADDED[payout.recipient]!,
    word(payout.feePpm),
    PADDED[payout.feeRecipient]!,
    PADDED[payout.wrapper]!,
  ]
  const isDirect = name === 'swapDirect' || name === 'swapDirectWithPermit'
  const hasPermit = name === 'swapWithPermit' || name === 'swapDirectWithPermit'
  const head = [
    ...(name === 'swapNative' ? [] : [word(amountIn)]),
    ...(isDirect ? [PADDED[recipient]!] : []),
    ...orderWords,
  ]
  const addressIndices = name === 'swapNative' ? [0, 1, 4] : isDirect ? [1, 2, 3, 6] : [1, 2, 5]
  const permitHex = hasPermit ? permitTail(permit) : ''
  const extraWords = name === 'swapWithPayout' || name === 'swapWithPermit' ? payoutWords : []
  const headWords = head.length + (hasPermit ? 1 : 0) + extraWords.length + 1
  if (hasPermit) head.push(word(BigInt(headWords * 32)))
  if (extraWords.length > 0) addressIndices.push(head.length, head.length + 2, head.length + 3)
  head.push(...extraWords, word(BigInt(headWords * 32 + permitHex.length / 2)))
  if (widenedWord !== undefined) {
    const index = addressIndices[widenedWord % addressIndices.length]!
    head[index] = `${'0'.repeat(23)}1${head[index]!.slice(24)}`
  }
  return GUARD_SELECTORS[name]! + head.join('') + permitHex + tail(scriptHex(program))
}

function permitTail({ kind, amount, nonce, deadline, signature }: Permit): string {
  const words = word(BigInt(PERMIT_KINDS.indexOf(kind))) + word(amount) + word(nonce) + word(deadline) + word(0xa0n)
  return words + tail(signature?.hex ?? '')
}
