/**
 * Generates the random steps of the differential fuzz. About half of the swaps are valid. The others have invalid or
 * hostile parts.
 */
import {
  type Account,
  addressOf,
  type Call,
  EXECUTORS,
  GUARD,
  HOLDERS,
  MODEL_TOKENS,
  type Move,
  move,
  type Order,
  type Payout,
  PERMIT_KINDS,
  PERMIT2,
  type Permit,
  PLAIN,
  PLAYERS,
  RECIPIENT,
  type Signature,
  SPENDERS,
  type Swap,
  type SwapName,
  TOKENS,
  USERS,
  WETH,
  ZERO,
} from './calls.ts'
import { FORGED, type Signer } from './permits.ts'
import { MAX_UINT, type World } from './world.ts'

/** A step of a sequence: a player runs a script, by a call from outside of the model's contracts. */
export type Step = { readonly player: Account; readonly script: readonly Move[] }
type OwnedPermit = { readonly owner: Account; readonly token: Account; readonly permit: Permit }

const ONE = 1_000_000n
const ETHER = 10n ** 18n
const MAX_UINT48 = (1n << 48n) - 1n
const AMOUNTS = [1n, 2n, 1_000n, ONE, ETHER] as const
const ODD_AMOUNTS = [0n, 3n, 10n ** 21n, (1n << 128n) + 1n, 1n << 160n, MAX_UINT] as const
/** Maximum depth of nested swaps: a script that runs during a swap may make another swap. */
const MAX_DEPTH = 2
/** Maximum number of signed permits that a sequence keeps for later steps. */
const MAX_OUTSTANDING = 8

/** Deterministic random numbers (mulberry32). */
class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return (t ^ (t >>> 14)) >>> 0
  }

  below(bound: number): number {
    return this.next() % bound
  }

  /** Returns true with a probability of `percent`. */
  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }
}

/** Returns the steps that create the initial state of every sequence: balances and approvals. */
export function setup(): readonly Step[] {
  const steps: Step[] = []
  const addStep = (player: Account, ...script: Move[]) => steps.push({ player, script })
  const mustSucceed = { mustSucceed: true }
  for (const token of MODEL_TOKENS) {
    addStep(0, move(token, { kind: 'configure', config: ONE << 64n }, mustSucceed))
    for (const to of [...USERS, ...EXECUTORS])
      addStep(0, move(token, { kind: 'mint', to, amount: 10n ** 21n }, mustSucceed))
    addStep(0, move(token, { kind: 'mint', to: RECIPIENT, amount: 5n }, mustSucceed))
    if (token % 2 === 0) addStep(0, move(token, { kind: 'mint', to: GUARD, amount: 777n }, mustSucceed))
  }
  for (const player of [...USERS, ...EXECUTORS]) {
    addStep(player, move(WETH, { kind: 'deposit' }, { value: 10n ** 21n, mustSucceed: true }))
    for (const token of TOKENS) {
      // The first user approves the Guard, the second Permit2, and the third (by mistake) the Executor.
      const spender = SPENDERS[player % 3]!
      addStep(player, move(token, { kind: 'approve', spender, amount: MAX_UINT }, mustSucceed))
      const secondApproval: Call = {
        kind: 'approve',
        spender: player === 2 ? PERMIT2 : GUARD,
        amount: player === 0 ? MAX_UINT : ONE,
      }
      addStep(player, move(token, secondApproval, mustSucceed))
      if (player === 1)
        addStep(player, move(PERMIT2, { kind: 'approve2', token, amount: ETHER, expiration: MAX_UINT48 }, mustSucceed))
    }
  }
  return steps
}

export class Generator {
  readonly #world: World
  readonly #signer: Signer
  #random = new Random(0)
  #outstanding: OwnedPermit[] = []

  constructor(world: World, signer: Signer) {
    this.#world = world
    this.#signer = signer
  }

  /** Starts a sequence. Returns its first step, which configures random tokens, or no step. */
  start(seed: number): readonly Step[] {
    this.#random = new Random(seed)
    this.#outstanding = []
    const random = this.#random
    if (random.chance(40)) return []
    const script: Move[] = []
    for (let remaining = 1 + random.below(3); remaining > 0; remaining--)
      script.push(this.#configure(), ...(random.chance(40) ? [this.#hook(0)] : []))
    return [{ player: 0, script }]
  }

  /** Generates the next step. Reads the current state of the model, for example nonces. */
  step(): Step {
    const random = this.#random
    const draw = random.below(100)
    if (draw < 72) {
      const player = this.#sender()
      const { swap, value } = this.#swap(player, 0)
      return { player, script: [move(GUARD, { kind: 'swap', swap }, { value, mustSucceed: true })] }
    }
    const player = random.below(PLAYERS)
    if (draw < 80) return { player, script: [this.#submission(true)] }
    if (draw < 86) return { player, script: [this.#approval()] }
    if (draw < 92) return { player, script: [random.chance(50) ? this.#configure() : this.#hook(0)] }
    if (draw < 94) {
      return this.#reaction(BigInt(random.below(3)))
    }
    if (draw < 97) return { player, script: [this.#mischief(player, 0)] }
    const mustSucceed = true
    const moves: readonly Move[] = [
      move(GUARD, { kind: 'pullInput', to: this.#holder(), amount: this.#amount() }, { mustSucceed }),
      move(GUARD, { kind: 'native' }, { value: this.#value(), mustSucceed }),
      move(GUARD, { kind: 'remaining' }, { mustSucceed }),
    ]
    return { player, script: [random.pick(moves)] }
  }

  #reaction(mode: bigint): Step {
    const player = this.#random.below(PLAYERS)
    const script = mode === 2n ? [this.#mischief(player, 1)] : []
    return { player, script: [move(player, { kind: 'react', mode, script }, { mustSucceed: true })] }
  }

  #sender(): Account {
    return this.#random.chance(85) ? this.#random.pick(USERS) : this.#random.pick(EXECUTORS)
  }

  #holder(): Account {
    return this.#random.below(HOLDERS)
  }

  #amount(): bigint {
    return this.#random.chance(92) ? this.#random.pick(AMOUNTS) : this.#random.pick(ODD_AMOUNTS)
  }

  /** Returns a random amount of native tokens, which every player has. */
  #value(): bigint {
    return this.#random.pick(AMOUNTS)
  }

  // Swaps

  /** Long: one part of a swap after the other. */
  #swap(sender: Account, depth: number): { readonly swap: Swap; readonly value: bigint } {
    const random = this.#random
    const name = random.pick<SwapName>([
      ...(['swap', 'swapNative', 'swapWithPayout', 'swapWithPayout', 'swapDirect'] as const),
      ...(['swapWithPermit', 'swapWithPermit', 'swapDirectWithPermit'] as const),
    ])
    const isDirect = name.startsWith('swapDirect')
    const hasPayout = name === 'swapWithPayout' || name === 'swapWithPermit'
    const hasPermit = name.endsWith('Permit')
    const isNative =
      name === 'swapNative' || ((name === 'swapWithPayout' || name === 'swapDirect') && random.chance(45))
    const amountIn = isNative ? this.#value() : this.#amount()
    let tokenIn = isNative && random.chance(30) ? ZERO : isNative && random.chance(60) ? WETH : random.pick(TOKENS)
    let tokenOut = random.pick(TOKENS.filter((token) => token !== tokenIn))
    if (!isNative && !isDirect && random.chance(35)) tokenOut = ZERO
    // An odd swap can have invalid or hostile arguments.
    const isOdd = random.chance(20)
    if (isOdd && random.chance(15)) tokenOut = random.chance(50) ? tokenIn : ZERO
    if (isOdd && random.chance(10)) tokenIn = random.pick([ZERO, PLAIN])
    if (isOdd && random.chance(10)) tokenOut = PLAIN
    let executor = random.pick(EXECUTORS)
    if (isOdd && random.chance(25)) executor = random.pick([PLAIN, GUARD, ZERO, tokenIn, tokenOut, sender, ...TOKENS])
    const minOutput = isOdd && random.chance(10) ? 0n : random.pick(AMOUNTS)
    const secondsToDeadline = isOdd && random.chance(10) ? -1n : BigInt(random.pick([0, 1, 1_000]))
    const order: Order = { tokenIn, tokenOut, minOutput, deadline: this.#world.now + secondsToDeadline, executor }
    const recipient = this.#recipient(order, sender, isOdd)
    const payout = this.#payout(order, recipient, isOdd)
    const emptyPermit = { kind: 'eip2612', amount: 0n, nonce: 0n, deadline: 0n, signature: null } as const
    const permit = hasPermit ? this.#permit(sender, tokenIn, amountIn) : emptyPermit
    let value = isNative ? amountIn : 0n
    if (isOdd && random.chance(10)) value = random.pick([0n, 1n, amountIn <= ETHER ? amountIn : 1n])
    const program = this.#program({
      order,
      amountIn,
      value,
      payout: hasPayout ? payout : undefined,
      isDirect,
      recipient,
      depth,
    })
    const widenedWord = isOdd && random.chance(6) ? random.below(8) : undefined
    return { swap: { name, amountIn, order, payout, recipient, permit, program, widenedWord }, value }
  }

  #recipient({ tokenIn, tokenOut, executor }: Order, sender: Account, isOdd: boolean): Account {
    const random = this.#random
    if (isOdd && random.chance(25)) return random.pick([ZERO, GUARD, executor, tokenIn, tokenOut, WETH, ...TOKENS])
    return random.pick([sender, sender, ...USERS, RECIPIENT, RECIPIENT, PLAIN])
  }

  #payout({ tokenOut, tokenIn, executor }: Order, recipient: Account, isOdd: boolean): Payout {
    const random = this.#random
    let wrapper =
      tokenOut === ZERO && random.chance(70) ? random.pick(TOKENS.filter((token) => token !== tokenIn)) : ZERO
    if (isOdd && random.chance(15)) wrapper = random.pick([tokenIn, executor, ...TOKENS, PLAIN])
    const feePpm = random.chance(50) ? 0n : BigInt(random.pick([1, 3_000, 99_999, 100_000]))
    const feeRecipient = random.pick([...USERS, RECIPIENT, PLAIN, executor])
    if (!isOdd) return { recipient, feePpm, feeRecipient, wrapper }
    const isTooHigh = random.chance(10)
    return {
      ...{ recipient, wrapper },
      feePpm: isTooHigh ? random.pick([100_001n, ONE, MAX_UINT]) : feePpm,
      feeRecipient: random.chance(20) ? random.pick([ZERO, GUARD]) : feeRecipient,
    }
  }

  /**
   * Generates an Executor's program. Most programs pull the input and pay the output. Some also make hostile calls.
   */
  #program(swapParts: {
    readonly order: Order
    readonly amountIn: bigint
    readonly value: bigint
    readonly payout: Payout | undefined
    readonly isDirect: boolean
    readonly recipient: Account
    readonly depth: number
  }): readonly Move[] {
    const random = this.#random
    const { order, payout, depth, isDirect, recipient } = swapParts
    const { executor, tokenOut } = order
    const moves = this.#pulls(swapParts)
    const output = this.#output(order.minOutput, payout)
    const to = isDirect ? recipient : GUARD
    const mustSucceed = random.chance(50)
    const paidToken = tokenOut === ZERO && payout ? payout.wrapper : tokenOut
    if (paidToken === ZERO) moves.push(move(GUARD, { kind: 'native' }, { value: output, mustSucceed }))
    else if (paidToken === WETH) moves.push(move(WETH, { kind: 'transfer', to, amount: output }, { mustSucceed }))
    else moves.push(move(paidToken, { kind: 'mint', to, amount: output }, { mustSucceed }))
    while (depth < MAX_DEPTH && random.chance(depth === 0 ? 35 : 15))
      moves.splice(random.below(moves.length + 1), 0, this.#mischief(executor, depth + 1))
    return moves
  }

  #pulls({
    order,
    amountIn,
    value,
  }: {
    readonly order: Order
    readonly amountIn: bigint
    readonly value: bigint
  }): Move[] {
    const random = this.#random
    const { executor, tokenIn } = order
    if (value > 0n && tokenIn === ZERO) {
      // The Executor may return a part of the native input to the Guard.
      const part = random.pick([0n, 1n, amountIn / 2n])
      return part > 0n && random.chance(50) ? [move(GUARD, { kind: 'native' }, { value: part })] : []
    }
    let rest = amountIn
    const moves: Move[] = []
    const mustSucceed = random.chance(60)
    const pull = (amount: bigint) => {
      const to = random.chance(85) ? executor : random.pick([RECIPIENT, PLAIN, tokenIn, 0, 1])
      moves.push(move(GUARD, { kind: 'pullInput', to, amount }, { mustSucceed }))
      rest -= amount
    }
    while (moves.length < 2 && random.chance(30)) pull(rest / 2n)
    if (random.chance(80)) pull(rest)
    if (random.chance(4))
      moves.push(move(GUARD, { kind: 'pullInput', to: executor, amount: rest + 1n <= MAX_UINT ? rest + 1n : 1n }))
    return moves
  }

  /** Returns a random output before the fee: mostly at least the minimum, sometimes one base unit less. */
  #output(minOutput: bigint, payout: Payout | undefined): bigint {
    const random = this.#random
    const fee = payout && payout.feePpm <= 100_000n ? payout.feePpm : 0n
    const minimum = (minOutput * ONE + ONE - fee - 1n) / (ONE - fee)
    if (random.chance(12)) return minimum > 0n ? minimum - 1n : 0n
    return random.pick([minimum, minimum + 1n, minimum + 1_000n, minimum * 3n])
  }

  // Permits

  #permit(owner: Account, token: Account, amountIn: bigint): Permit {
    const random = this.#random
    const kind = random.pick(PERMIT_KINDS)
    const now = this.#world.now
    const earlierPermits = this.#outstanding.filter((earlier) => earlier.owner === owner && earlier.token === token)
    if (earlierPermits.length > 0 && random.chance(30)) return random.pick(earlierPermits).permit
    const deadline = now + BigInt(random.chance(6) ? -1 : random.pick([0, 1, 1_000]))
    const amount = random.chance(60) ? amountIn : this.#amount()
    const isUserPermit = USERS.includes(owner) && TOKENS.includes(token)
    const currentNonce = !isUserPermit
      ? 0n
      : kind === 'permit2'
        ? this.#world.permit2Nonce(token, owner)
        : this.#nonce(token, owner)
    const nonce = random.chance(92) ? currentNonce : currentNonce + 1n
    const permitFields = { kind, amount, nonce, deadline }
    if (random.chance(8)) return { ...permitFields, signature: null }
    if (!isUserPermit || random.chance(8)) return { ...permitFields, signature: random.chance(70) ? FORGED : SHORT }
    const permit = { ...permitFields, signature: this.#signer.sign({ ...permitFields, owner, token }) }
    // Changes the amount after signing. This makes signatures invalid, except those of DAI, which have no amount.
    if (random.chance(5)) return { ...permit, amount: random.pick(AMOUNTS) }
    if (this.#outstanding.length < MAX_OUTSTANDING && random.chance(40))
      this.#outstanding.push({ owner, token, permit })
    return permit
  }

  #nonce(token: Account, owner: Account): bigint {
    return token === WETH ? 0n : this.#world.nonceOf(token, owner)
  }

  /** Generates a call that submits a user's permit directly to its token or to Permit2. Anyone can make such a call. */
  #submission(mustSucceed: boolean): Move {
    const random = this.#random
    const owner = random.pick(USERS)
    const token = random.pick(TOKENS)
    let ownedPermit: OwnedPermit = { owner, token, permit: this.#permit(owner, token, this.#amount()) }
    if (this.#outstanding.length > 0 && random.chance(60)) ownedPermit = random.pick(this.#outstanding)
    const { permit } = ownedPermit
    const signature = permit.signature === null || permit.signature === SHORT ? FORGED : permit.signature
    const signedPermit = { ...permit, signature }
    const call: Call =
      permit.kind === 'permit2'
        ? { kind: 'permit2', owner: ownedPermit.owner, token: ownedPermit.token, permit: signedPermit }
        : { kind: 'permit', owner: ownedPermit.owner, spender: GUARD, permit: signedPermit }
    return move(permit.kind === 'permit2' ? PERMIT2 : ownedPermit.token, call, { mustSucceed })
  }

  #approval(): Move {
    const random = this.#random
    const token = random.pick(TOKENS)
    const amount = random.pick([0n, 1_000n, ONE, ETHER, MAX_UINT])
    if (random.chance(70))
      return move(token, { kind: 'approve', spender: random.pick(SPENDERS), amount }, { mustSucceed: true })
    const expiration = random.pick([0n, this.#world.now - 1n, this.#world.now, MAX_UINT48])
    const call: Call = { kind: 'approve2', token, amount: amount === MAX_UINT ? (1n << 160n) - 1n : amount, expiration }
    return move(PERMIT2, call, { mustSucceed: true })
  }

  // Hostile parts

  #configure(): Move {
    const random = this.#random
    const field = (usual: number, others: readonly number[], percent: number) =>
      BigInt(random.chance(percent) ? random.pick(others) : usual)
    const config =
      field(0, [1, 1, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9], 35) |
      (field(0, [1, 2, 3, 4], 8) << 4n) |
      (field(0, [1, 2], 15) << 8n) |
      (field(0, [1, 2, 3, 4], 25) << 12n) |
      (field(0, [1, 10_000, 500_000, 1_000_000], 20) << 16n) |
      (field(0, [10_000, 1_000_000], 8) << 40n) |
      (field(1_000_000, [999_999, 500_000, 1_234_567, 2_000_000], 25) << 64n)
    const blocked = random.chance(8) ? addressOf(random.pick([...USERS, ...EXECUTORS, RECIPIENT, GUARD])) : 0n
    return move(random.pick(MODEL_TOKENS), { kind: 'configure', config: config | (blocked << 96n) })
  }

  /** Generates a hook: a script of a player that a token runs at each transfer, permit, deposit, and withdrawal. */
  #hook(depth: number): Move {
    const random = this.#random
    const player = random.below(PLAYERS)
    const script = [this.#mischief(player, depth + 1)]
    if (random.chance(30)) script.push(this.#mischief(player, depth + 1))
    return move(random.pick(MODEL_TOKENS), { kind: 'setHook', player, script })
  }

  /** Generates a hostile call for a contract to make during a swap. Long: one case for each. */
  #mischief(caller: Account, depth: number): Move {
    const random = this.#random
    const mustSucceed = random.chance(10)
    const [to, amount, token] = [this.#holder(), this.#amount(), random.pick(TOKENS)]
    const isDeep = depth >= MAX_DEPTH
    switch (random.below(14)) {
      case 0:
      case 1:
        return move(GUARD, { kind: 'pullInput', to, amount }, { mustSucceed })
      case 2:
        return move(token, { kind: 'transferFrom', from: random.pick(USERS), to, amount }, { mustSucceed })
      case 3:
        return move(token, { kind: 'transfer', to: random.chance(50) ? GUARD : to, amount }, { mustSucceed })
      case 4:
        return move(random.pick(MODEL_TOKENS), { kind: 'mint', to, amount: random.pick(AMOUNTS) }, { mustSucceed })
      case 5:
        return move(random.chance(70) ? GUARD : to, { kind: 'native' }, { value: this.#value(), mustSucceed })
      case 6:
      case 7: {
        if (isDeep) return move(GUARD, { kind: 'remaining' }, { mustSucceed })
        const { swap, value } = this.#swap(caller, depth)
        return move(GUARD, { kind: 'swap', swap }, { value, mustSucceed })
      }
      case 8:
        return this.#configure()
      case 9:
        return this.#submission(mustSucceed)
      case 10:
        return move(
          PERMIT2,
          { kind: 'transfer2', from: random.pick(USERS), to, amount: random.pick(AMOUNTS), token },
          { mustSucceed },
        )
      case 11: {
        const player = random.below(PLAYERS)
        return isDeep
          ? this.#configure()
          : move(player, { kind: 'play', script: [this.#mischief(player, depth + 1)] }, { mustSucceed })
      }
      case 12:
        return isDeep ? this.#configure() : this.#hook(depth)
      default:
        return this.#approval()
    }
  }
}

/** A signature that is one byte too short. */
const SHORT: Signature = { statement: '', hex: FORGED.hex.slice(0, 128) }
