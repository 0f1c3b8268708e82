/**
 * Reference implementation of the Guard, written from IGuard's documentation, SECURITY.md, and docs/audit (calls.md, state.md). It
 * knows nothing of slots, packing, or assembly. If these documents leave open which of several errors is reported, all of
 * them are accepted.
 */
import { type Account, type Call, GUARD, type Move, PERMIT2, type Permit, type Swap, ZERO } from './calls.ts'
import { type Answer, type Outcome, Reverted } from './outcome.ts'
import type { Flight, State } from './state.ts'

const PPM = 1_000_000n
const MAX_FEE_PPM = 100_000n
const MAX_UINT256 = (1n << 256n) - 1n
const NOTHING: Answer = { word: 0n, size: 0 }

/** Terms of a swap by any of the six functions. */
type Plan = {
  readonly sender: Account
  readonly value: bigint
  readonly amountIn: bigint
  readonly tokenIn: Account
  readonly tokenOut: Account
  readonly minOutput: bigint
  readonly executor: Account
  readonly recipient: Account
  readonly isDirect: boolean
  readonly wrapper: Account
  readonly feePpm: bigint
  readonly feeRecipient: Account
  readonly permit: Permit | undefined
  readonly program: readonly Move[]
}

const growth = (before: bigint, after: bigint): bigint => (after > before ? after - before : 0n)

/** State of the chain, and calls of other contracts. */
interface World extends State {
  /** Timestamp of the block, in seconds. */
  readonly now: bigint
  call(from: Account, to: Account, value: bigint, call: Call): Outcome
  balanceOf(token: Account, account: Account): bigint
  execute(executor: Account, value: bigint, program: readonly Move[]): Outcome
  withdraw(wrapper: Account, amount: bigint): Outcome
}

export class ReferenceGuard {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  answer(caller: Account, value: bigint, call: Call): Answer {
    switch (call.kind) {
      case 'native':
        if (!this.#world.flight) throw new Reverted('UnexpectedNative')
        return NOTHING
      case 'remaining':
        if (value > 0n) throw new Reverted('empty')
        return { word: this.#world.remaining, size: 32 }
      case 'pullInput':
        if (value > 0n) throw new Reverted('empty')
        this.#pullInput(caller, call.to, call.amount)
        return NOTHING
      case 'swap': {
        const plan = planOf(caller, value, call.swap)
        const refusals = refusalsOf(plan, call.swap, this.#world)
        if (refusals.length > 0) throw new Reverted(...refusals)
        return { word: this.#swap(plan), size: 32 }
      }
      default:
        throw new Reverted('empty')
    }
  }

  /** The Executor in flight draws input, up to what remains, to anyone but the Guard. */
  #pullInput(caller: Account, to: Account, amount: bigint): void {
    const world = this.#world
    const { flight } = world
    if (!flight || flight.executor !== caller) throw new Reverted('NotExecutor')
    if (amount > world.remaining || to === GUARD) throw new Reverted('InvalidPull')
    world.remaining -= amount
    const { payer, token, by } = flight
    if (by === 'wrapped') this.#pay(token, to, amount)
    else if (by === 'approval') this.#transferred(token, { kind: 'transferFrom', from: payer, to, amount })
    else {
      const drawn = world.call(GUARD, PERMIT2, 0n, { kind: 'transfer2', from: payer, to, amount, token })
      if (!drawn.ok) throw failureOf(drawn, 'TransferFailed')
      if (!world.hasCode(PERMIT2)) throw new Reverted('TransferFailed')
    }
  }

  #swap(plan: Plan): bigint {
    const world = this.#world
    if (plan.permit) this.#submit(plan, plan.permit)
    // The value of the call is not the Guard's own.
    const nativeBefore = world.native(GUARD) - plan.value
    const received = plan.isDirect
      ? this.#direct(plan)
      : plan.tokenOut === ZERO
        ? this.#nativeOutput(plan, nativeBefore)
        : this.#tokenOutput(plan)
    if (received < plan.minOutput) throw new Reverted(world.hasCode(plan.executor) ? 'OutputTooLow' : 'InvalidExecutor')
    if (plan.value > 0n) {
      const unused = growth(nativeBefore, world.native(GUARD))
      if (unused > 0n) this.#send(plan.sender, unused)
    }
    world.flight = undefined
    return received
  }

  /** Submits the sender's permit, locked, and ignores what comes of it. */
  #submit({ sender, tokenIn }: Plan, permit: Permit): void {
    const world = this.#world
    world.flight = { executor: undefined, payer: sender, token: tokenIn, by: 'approval' }
    if (!permit.signature) return
    if (permit.kind === 'permit2')
      world.call(GUARD, PERMIT2, 0n, { kind: 'permit2', owner: sender, token: tokenIn, permit })
    else world.call(GUARD, tokenIn, 0n, { kind: 'permit', owner: sender, by: GUARD, permit })
  }

  /** The Executor pays the recipient, whose growth is the output. */
  #direct(plan: Plan): bigint {
    const before = this.#world.balanceOf(plan.tokenOut, plan.recipient)
    this.#execute(plan)
    return growth(before, this.#world.balanceOf(plan.tokenOut, plan.recipient))
  }

  /** The Guard receives the output, takes the fee, and pays the recipient, whose growth is the output. */
  #tokenOutput(plan: Plan): bigint {
    const world = this.#world
    const { tokenOut, recipient } = plan
    const before = world.balanceOf(tokenOut, GUARD)
    this.#execute(plan)
    const output = growth(before, world.balanceOf(tokenOut, GUARD))
    const fee = feeOf(output, plan.feePpm)
    if (fee > 0n) this.#pay(tokenOut, plan.feeRecipient, fee)
    if (output - fee === 0n) return 0n
    const balanceBefore = world.balanceOf(tokenOut, recipient)
    this.#pay(tokenOut, recipient, output - fee)
    return growth(balanceBefore, world.balanceOf(tokenOut, recipient))
  }

  /** As `#tokenOutput`, for native token, which the Guard may have to unwrap first. */
  #nativeOutput(plan: Plan, nativeBefore: bigint): bigint {
    const world = this.#world
    const { wrapper, recipient, minOutput } = plan
    if (wrapper === ZERO) this.#execute(plan)
    else {
      const before = world.balanceOf(wrapper, GUARD)
      this.#execute(plan)
      const wrapped = growth(before, world.balanceOf(wrapper, GUARD))
      if (wrapped > 0n) this.#unwrap(wrapper, wrapped)
    }
    const output = growth(nativeBefore, world.native(GUARD))
    const fee = feeOf(output, plan.feePpm)
    if (fee > 0n) this.#send(plan.feeRecipient, fee)
    if (output - fee >= minOutput) this.#send(recipient, output - fee)
    return output - fee
  }

  /** Lends the input, runs the program, and ends the loan. */
  #execute(plan: Plan): void {
    const world = this.#world
    const { sender, value, tokenIn, amountIn, executor } = plan
    const flight: Flight = {
      executor,
      payer: value > 0n ? GUARD : sender,
      token: tokenIn,
      by: value > 0n ? 'wrapped' : plan.permit?.kind === 'permit2' ? 'permit2' : 'approval',
    }
    world.flight = flight
    const isForwarded = value > 0n && tokenIn === ZERO
    if (value > 0n && !isForwarded) this.#wrap(tokenIn, amountIn)
    if (!isForwarded) world.remaining = loanOf(amountIn, world.build)
    const run = world.execute(executor, isForwarded ? value : 0n, plan.program)
    if (!run.ok) throw world.hasCode(executor) ? new Reverted(...run.errors) : new Reverted('InvalidExecutor')
    const undrawn = world.remaining
    world.remaining = 0n
    if (value > 0n && undrawn > 0n) this.#unwrap(tokenIn, undrawn)
  }

  /** A wrapper that the Guard holds some of must credit the exact amount. Otherwise, what it did not credit cannot be lent. */
  #wrap(wrapper: Account, amount: bigint): void {
    const world = this.#world
    const before = world.balanceOf(wrapper, GUARD)
    const wrapped = world.call(GUARD, wrapper, amount, { kind: 'deposit' })
    if (!wrapped.ok) throw new Reverted(...wrapped.errors)
    if (before > 0n && growth(before, world.balanceOf(wrapper, GUARD)) !== amount) throw new Reverted('WrapMismatch')
  }

  #unwrap(wrapper: Account, amount: bigint): void {
    const world = this.#world
    const before = world.native(GUARD)
    const unwrapped = world.withdraw(wrapper, amount)
    if (!unwrapped.ok) throw new Reverted(...unwrapped.errors)
    if (growth(before, world.native(GUARD)) !== amount) throw new Reverted('WrapMismatch')
  }

  #pay(token: Account, to: Account, amount: bigint): void {
    this.#transferred(token, { kind: 'transfer', to, amount })
  }

  /** A token may answer true, or nothing if it has code. */
  #transferred(token: Account, call: Call): void {
    const outcome = this.#world.call(GUARD, token, 0n, call)
    if (!outcome.ok) throw failureOf(outcome, 'TransferFailed')
    const { size, word } = outcome.answer
    const isTrue = size === 0 ? this.#world.hasCode(token) : size >= 32 && word === 1n
    if (!isTrue) throw new Reverted('TransferFailed')
  }

  #send(to: Account, amount: bigint): void {
    if (!this.#world.call(GUARD, to, amount, { kind: 'native' }).ok) throw new Reverted('NativeTransferFailed')
  }
}

/** Forwards the errors of a call, or reports `otherwise` if it gave none. */
function failureOf(outcome: Extract<Outcome, { ok: false }>, otherwise: string): Reverted {
  return new Reverted(...outcome.errors.map((error) => (error === 'empty' ? otherwise : error)))
}

/** In the london build, a loan of 2^256 - 1 lends nothing (StorageSlots). */
function loanOf(amount: bigint, build: World['build']): bigint {
  return build === 'london' && amount === MAX_UINT256 ? 0n : amount
}

function feeOf(output: bigint, feePpm: bigint): bigint {
  if (output * feePpm > MAX_UINT256) throw new Reverted('Panic')
  return (output * feePpm) / PPM
}

function planOf(sender: Account, value: bigint, swap: Swap): Plan {
  const { name, order, payout, program } = swap
  const isDirect = name === 'swapDirect' || name === 'swapDirectWithPermit'
  const hasPayout = name === 'swapWithPayout' || name === 'swapWithPermit'
  const hasPermit = name === 'swapWithPermit' || name === 'swapDirectWithPermit'
  return {
    ...{ sender, value, isDirect, program, ...order },
    amountIn: name === 'swapNative' ? value : swap.amountIn,
    recipient: isDirect ? swap.recipient : hasPayout ? payout.recipient : sender,
    wrapper: hasPayout ? payout.wrapper : ZERO,
    feePpm: hasPayout ? payout.feePpm : 0n,
    feeRecipient: hasPayout ? payout.feeRecipient : ZERO,
    permit: hasPermit ? swap.permit : undefined,
  }
}

/** Returns every reason why the Guard may refuse a swap before it calls anyone. */
function refusalsOf(plan: Plan, { name, order, widened }: Swap, world: World): readonly string[] {
  const { value, amountIn, tokenIn, tokenOut, executor, wrapper, recipient, feePpm, feeRecipient } = plan
  const takesValue = name === 'swapNative' || name === 'swapWithPayout' || name === 'swapDirect'
  const namesRecipient = name !== 'swap' && name !== 'swapNative'
  const isNativeIn = value > 0n || tokenIn === ZERO
  const tokens = wrapper === ZERO ? [tokenIn, tokenOut] : [tokenIn, tokenOut, wrapper]
  const rules: readonly (readonly [string, boolean])[] = [
    ['empty', widened !== undefined || (value > 0n && !takesValue)],
    ['Reentrancy', world.flight !== undefined],
    ['Expired', world.now > order.deadline],
    ['ZeroAmount', amountIn === 0n || order.minOutput === 0n],
    ['InvalidValue', (value > 0n && value !== amountIn) || (tokenIn === ZERO && value === 0n)],
    [
      'SameToken',
      tokenIn === tokenOut || (isNativeIn && tokenOut === ZERO) || (wrapper !== ZERO && wrapper === tokenIn),
    ],
    ['InvalidExecutor', executor === GUARD || tokens.includes(executor)],
    ['InvalidWrapper', wrapper !== ZERO && tokenOut !== ZERO],
    ['FeeTooHigh', feePpm > MAX_FEE_PPM],
    ['InvalidFeeRecipient', feePpm > 0n && (feeRecipient === ZERO || feeRecipient === GUARD)],
    [
      'InvalidRecipient',
      namesRecipient && (recipient === ZERO || recipient === GUARD || [...tokens, executor].includes(recipient)),
    ],
    ['DirectNative', plan.isDirect && tokenOut === ZERO],
  ]
  return rules.filter(([, applies]) => applies).map(([error]) => error)
}
