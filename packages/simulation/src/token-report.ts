/** Measures how a token behaves when bought, transferred, and sold, in one eth_call. */
import { randomBytes } from 'node:crypto'
import { type TokenProbe, TokenProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { type Address, type Hex, PPM, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type BlockRef, type Rpc, RpcError } from '@sluice/rpc'
import type { SimulationContext } from './context.ts'
import { SimulationError } from './errors.ts'
import { probeAt } from './probe.ts'
import { slotSetUp } from './setup.ts'
import { SLOT_PROBE, type StorageWrites, storageOverrides, TokenReader } from './slots/reader.ts'
import type { TokenLayout } from './slots/resolver.ts'
import { decodeText } from './text.ts'
import type { TokenReport } from './types.ts'

const abi = TokenProbe__factory.createInterface()

/** Gas limit of the measurement. */
const CALL_GAS = 20_000_000n
/** Maximum characters of the symbol. */
const MAX_SYMBOL = 64

/** Parameters of a token report. */
export type TokenReportRequest = {
  readonly token: Address
  readonly block: BlockRef
  /** Account that holds the tokens of a pool: the pool or its vault. If absent, only transfers are measured. */
  readonly pool?: Address
  /**
   * A small and a large amount in base units. If only the large amount fails, the token limits the size of transfers.
   * It is then not a honeypot (a token that cannot be sold).
   */
  readonly sizes: readonly bigint[]
  readonly signal?: AbortSignal
}

/**
 * Measures a token. Each tax is that of the first size whose transfer worked; null means unknown, not zero.
 *
 * @throws SimulationError `UNKNOWN_SLOTS` if there is no pool and the token cannot be set up, `BAD_REQUEST` without
 *   sizes
 * @throws RpcError if no endpoint could run the call
 */
export async function reportToken(
  rpc: Rpc,
  request: TokenReportRequest,
  context: SimulationContext,
): Promise<TokenReport> {
  const { token, block, pool, sizes, signal } = request
  const [largestSize = 0n] = [...sizes].sort((a, b) => (a < b ? 1 : -1))
  if (largestSize <= 0n) throw new SimulationError('BAD_REQUEST', 'sizes must hold an amount above 0')
  const sharedOptions = { timeoutMs: context.limits.timeoutMs, priority: 'lookup' } as const
  const options = { ...sharedOptions, ...(signal && { signal }) }
  const reader = new TokenReader({ rpc, token, block, request: options })
  const [layout, poolCode] = await Promise.all([
    // Callers share the search of the storage layout, so it has no caller's abort signal.
    context.slots.layout(new TokenReader({ rpc, token, block, request: sharedOptions })),
    pool ? rpc.getCode(pool, block, options) : undefined,
  ])
  // The trader buys, transfers, and sells the token. The recipient of the transfer has no code.
  const [trader, recipient] = [randomAccount(), randomAccount()]
  const order = { token, friend: recipient, pool: pool ?? ZERO_ADDRESS, sizes: [...sizes] }
  const overrides = {
    ...(pool && poolCode
      ? probeAt(pool, poolCode)
      : storageOverrides(await traderWrites(reader, layout, trader, largestSize))),
    [trader]: { code: bytecode.TokenProbe.runtime },
  }
  const data = abi.encodeFunctionData('run', [order]) as Hex
  const answer = await rpc
    .call({ from: trader, to: trader, data, gas: CALL_GAS }, block, { ...options, overrides })
    .catch((error: unknown) => {
      if (!(error instanceof RpcError && error.code === 'REVERTED')) throw error
      throw new SimulationError('BAD_TOKEN', `${token} cannot be measured: ${error.message}`, { cause: error })
    })
  const [report] = abi.decodeFunctionResult('run', answer) as unknown as [TokenProbe.ReportStructOutput]
  const kind = layout.balance?.shape.kind
  return {
    token,
    decimals: decimalsOf(report.decimals as Hex),
    symbol: decodeText(report.symbol as Hex, MAX_SYMBOL),
    ...taxesOf(report.rounds),
    surchargePpm: surchargeOf(report.rounds),
    rebasing: kind === undefined ? null : kind === 'shares',
    needsApprovalReset: report.approves ? report.needsApprovalReset : null,
  }
}

/** Returns an account that nobody can know in advance: a token could let only known test accounts sell. */
const randomAccount = (): Address => toAddress(`0x${randomBytes(20).toString('hex')}`)

async function traderWrites(
  reader: TokenReader,
  layout: TokenLayout,
  trader: Address,
  amountIn: bigint,
): Promise<StorageWrites> {
  const setUp = await slotSetUp(reader, layout, { from: trader, spender: SLOT_PROBE, amountIn })
  if (!setUp) throw new SimulationError('UNKNOWN_SLOTS', `the storage of ${reader.token} could not be worked out`)
  return setUp.writes
}

type Taxes = Pick<TokenReport, 'buyTaxPpm' | 'sellTaxPpm' | 'transferTaxPpm' | 'sellable' | 'sizeLimited'>

function taxesOf(rounds: readonly TokenProbe.RoundStructOutput[]): Taxes {
  // `pass` is the transfer between two accounts.
  const findTax = (leg: 'buy' | 'pass' | 'sell') => {
    // If more was received than sent, the token also moved other amounts. Use such a transfer only if no other worked.
    const isPlain = ({ ok, sent, received }: TokenProbe.LegStructOutput) => ok && received <= sent + ROUNDING
    const legs = rounds.map((round) => round[leg]).filter(({ ok }) => ok)
    const taxes = [...legs.filter(isPlain), ...legs].map(({ sent, received }) => taxPpm(sent, received))
    return taxes.find((ppm) => ppm !== null) ?? null
  }
  const boughtRounds = rounds.filter(({ buy }) => buy.ok)
  const soldRounds = rounds.filter(({ sell }) => sell.ok)
  const consistentRounds = rounds.filter(({ buy, pass, sell }) => pass.ok && buy.ok === sell.ok)
  return {
    buyTaxPpm: findTax('buy'),
    transferTaxPpm: findTax('pass'),
    sellTaxPpm: findTax('sell'),
    sellable: boughtRounds.length === 0 ? null : soldRounds.length > 0,
    sizeLimited: consistentRounds.length === 0 ? null : consistentRounds.length < rounds.length,
  }
}

/** Rounding tolerance of tokens that store shares, in base units. */
const ROUNDING = 2n
/** Smallest amount in base units for which `ROUNDING` is negligible. */
const MIN_EXACT_AMOUNT = 1_000_000n

/** Returns the maximum loss of a sender beyond the sent amount, in ppm of the sent amount; null if nothing was sent. */
function surchargeOf(rounds: readonly TokenProbe.RoundStructOutput[]): number | null {
  // Skip transfers of zero, whose share is undefined.
  const sentTransfers = rounds
    .flatMap(({ buy, pass, sell }) => [buy, pass, sell])
    .filter(({ ok, sent }) => ok && sent > 0n)
  const surcharges = sentTransfers.map(({ sent, debited }) =>
    debited <= sent + ROUNDING ? 0 : Number(((debited - sent) * PPM) / sent),
  )
  return surcharges.length === 0 ? null : Math.max(...surcharges)
}

/**
 * Returns the tax, rounded to the nearest ppm. Returns null if nothing was sent, or if the amount is so small that
 * rounding can explain the whole difference.
 */
function taxPpm(sentAmount: bigint, receivedAmount: bigint): number | null {
  if (sentAmount === 0n) return null
  const missingAmount = sentAmount - receivedAmount
  if (missingAmount <= 0n) return 0
  if (missingAmount <= ROUNDING) return sentAmount < MIN_EXACT_AMOUNT ? null : 0
  return Number((missingAmount * PPM + sentAmount / 2n) / sentAmount)
}

function decimalsOf(answer: Hex): number | null {
  const value = answer.length < 66 ? 256n : BigInt(answer.slice(0, 66))
  return value < 256n ? Number(value) : null
}
