/** Facts about a transaction and their evidence: proven by its bytes, claimed by its sender, or different from the deployment. */
import { type Explanation, explain, type SwapContracts, singletonsFor } from '@sluice/client'
import { keeperOf, opOf, singletonOf } from '@sluice/program'
import { calls, type FactName } from './bytes.ts'
import type { PastedTx } from './input.ts'

export type How = 'proven' | 'claimed' | 'differs'

/** Value of a fact. */
export type Value =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'amount'; readonly token: string; readonly base: bigint }
  | { readonly kind: 'time'; readonly seconds: bigint }

export type ExplainFact = {
  readonly name: string
  /** Fact whose bytes are highlighted. */
  readonly owner?: FactName
  readonly value: Value
  readonly note: string
  readonly certainty: How
}

export type ExplainedTransaction = {
  readonly explanation: Explanation
  readonly call: string
  readonly facts: readonly ExplainFact[]
  /** Descriptions of the differences from the deployment; empty if there are none. */
  readonly faults: readonly string[]
}

const textValue = (text: string): Value => ({ kind: 'words', text })
const NOWHERE = `0x${'0'.repeat(40)}`

/**
 * Decodes a transaction into facts.
 *
 * @param contracts - of the deployment, as this page knows it
 * @param now - Unix seconds
 * @param isMined - true if the transaction is in a block, in which case its deadline no longer matters
 * @throws ClientError if the calldata is not a swap of the Guard
 */
export function read(
  tx: PastedTx,
  contracts: SwapContracts | undefined,
  now: number,
  isMined = false,
): ExplainedTransaction {
  const order = explain({ data: tx.data, to: tx.to ?? NOWHERE, from: tx.from ?? NOWHERE, value: tx.value ?? '0' })
  const { name, payout, before } = calls[tx.data.slice(0, 10).toLowerCase()]!
  const faults: string[] = []
  const against = (expected: readonly string[] | undefined, address: string, fault: string): How => {
    if (expected?.some((candidate) => candidate.toLowerCase() === address.toLowerCase())) return 'proven'
    if (expected !== undefined) faults.push(fault)
    return expected === undefined ? 'claimed' : 'differs'
  }
  const executorHow = against(contracts?.executors, order.executor, 'the Executor is not the one of the deployment')
  const contractHow =
    tx.to === undefined
      ? undefined
      : against(contracts && [contracts.guard], tx.to, 'it calls another contract than the Guard of the deployment')
  const isExpired = !isMined && order.deadline < BigInt(now)
  const facts: ExplainFact[] = [
    {
      ...{ name: 'Call', owner: 'call', value: textValue(`Guard.${name}`), certainty: 'proven' },
      note: 'Takes the input, runs the Executor, checks the output, or reverts.',
    },
    contractFact(tx.to, contracts, contractHow),
    {
      ...{ name: 'Takes at most', owner: 'amountIn', certainty: name === 'swapNative' ? 'claimed' : 'proven' },
      value: { kind: 'amount', token: order.tokenIn, base: order.amountIn },
      note: name === 'swapNative' ? 'The value that comes with the call; not in the bytes.' : order.tokenIn,
    },
    {
      ...{ name: 'Pays at least', owner: 'minOutput', certainty: 'proven', note: order.tokenOut },
      value: { kind: 'amount', token: order.tokenOut, base: order.minOutput },
    },
    recipientFact(order.recipient, tx.from, payout > 0 || before === 2),
    {
      ...{
        name: 'Mode',
        value: textValue(order.mode === 'custody' ? 'Custody' : 'Direct'),
        certainty: 'proven',
        owner: 'call',
      },
      note:
        order.mode === 'custody'
          ? 'The Guard receives the output, checks it and passes it on.'
          : 'The Executor pays the recipient; the Guard checks what the balance grew by.',
    },
    {
      ...{ name: 'Fee', certainty: 'proven', ...(payout > 0 && { owner: 'fee' as const }) },
      value: textValue(order.fee ? `${Number(order.fee.ppm) / 10_000} %` : 'None'),
      note: order.fee
        ? `To ${order.fee.recipient}.`
        : payout > 0
          ? 'The field for it is zero.'
          : `${name} has no field for a fee.`,
    },
    {
      ...{
        name: 'Valid until',
        owner: 'deadline',
        certainty: 'proven',
        value: { kind: 'time', seconds: order.deadline },
      },
      note: isExpired ? 'By this clock it has passed: the transaction would revert.' : 'After that it reverts.',
    },
    executorFact(order.executor, contracts, executorHow),
  ]
  if (order.permit)
    facts.push({
      ...{ name: 'Signature', value: textValue(order.permit.kind), certainty: 'proven' },
      note: 'Lets the Guard draw the input; it comes with the swap.',
    })
  for (const { name, owner, address, expected, note } of otherContracts(order, contracts)) {
    const certainty = against(expected, address, `the ${name.toLowerCase()} ${address} is not of this chain`)
    facts.push({ name, value: { kind: 'address', address }, certainty, note, ...(owner && { owner }) })
  }
  return { explanation: order, call: name, facts, faults }
}

/** Returns the fact about the pools of the route, including the pools that nothing proves. */
export function poolsFact({ pools }: Explanation, unknown: readonly string[] | undefined): ExplainFact {
  const count = pools.length === 1 ? '1 pool' : `${pools.length} pools`
  const poolsFact = { name: 'Pools', certainty: 'claimed' } as const
  if (unknown === undefined)
    return {
      ...poolsFact,
      value: textValue(count),
      note: 'This page knows no contracts of this chain to compare them with.',
    }
  if (unknown.length === 0)
    return {
      ...poolsFact,
      certainty: 'proven',
      value: textValue(count),
      note: 'All from known factories, or named by the deployment.',
    }
  return { ...poolsFact, value: textValue(count), note: `Not known: ${unknown.join(', ')}. The minimum still holds.` }
}

/** @param isNamed - false if the calldata has no recipient field */
function recipientFact(recipient: string, sender: string | undefined, isNamed: boolean): ExplainFact {
  const [name, certainty] = ['Pays whom', 'proven'] as const
  if (!isNamed) {
    const note = 'The bytes have no field for anyone else: the Guard pays the sender.'
    return { name, certainty, value: textValue('Who signs'), note }
  }
  const notes = {
    own: 'The sender itself.',
    other: 'Another account than the sender. Check that it is the one you mean.',
    unknown: 'Check that it is your account, or the one you mean.',
  }
  const recipientKind =
    sender === undefined ? 'unknown' : sender.toLowerCase() === recipient.toLowerCase() ? 'own' : 'other'
  return {
    name,
    owner: 'recipient',
    certainty,
    value: { kind: 'address', address: recipient },
    note: notes[recipientKind],
  }
}

function contractFact(
  to: string | undefined,
  contracts: SwapContracts | undefined,
  certainty: How | undefined,
): ExplainFact {
  const notes = {
    proven: 'The Guard, as in the deployment. It is the only contract you approve.',
    differs: `The Guard of the deployment is ${contracts?.guard}.`,
    claimed: 'This page knows no deployment on this chain to hold it against.',
  }
  const must = contracts ? ` It must be ${contracts.guard}.` : ''
  return {
    name: 'Contract',
    value: to === undefined ? textValue('not given') : { kind: 'address', address: to },
    note: certainty === undefined ? `The bytes do not say whom they are sent to.${must}` : notes[certainty],
    // The target address is not part of the calldata, so it stays a claim even if it is correct.
    certainty: certainty === 'differs' ? 'differs' : 'claimed',
  }
}

function executorFact(address: string, contracts: SwapContracts | undefined, certainty: How): ExplainFact {
  const notes = {
    proven: 'One of the deployment.',
    differs: `The deployment has ${contracts?.executors.join(', ')}. Nobody knows what this one does.`,
    claimed: 'This page knows no deployment on this chain to hold it against.',
  }
  return { name: 'Executor', owner: 'executor', certainty, value: { kind: 'address', address }, note: notes[certainty] }
}

type Other = {
  readonly name: string
  readonly owner?: FactName
  readonly address: string
  readonly expected: readonly string[] | undefined
  readonly note: string
}

/** Returns the contracts other than Guard and Executor that receive value. */
function otherContracts({ wrapper, steps }: Explanation, contracts: SwapContracts | undefined): readonly Other[] {
  const list: Other[] = []
  const add = (other: Other) => {
    if (!list.some(({ address }) => address.toLowerCase() === other.address.toLowerCase())) list.push(other)
  }
  const wrappers = contracts && (contracts.wrapper ? [contracts.wrapper] : [])
  const wrapNote = 'Wraps or unwraps the native token.'
  if (wrapper) add({ name: 'Wrapper', owner: 'wrapper', address: wrapper, expected: wrappers, note: wrapNote })
  for (const step of steps) {
    if (step.op === 'wrap') add({ name: 'Wrapper', address: step.wrapped, expected: wrappers, note: wrapNote })
    if (step.op === 'unwrap') add({ name: 'Wrapper', address: step.tokenIn, expected: wrappers, note: wrapNote })
    const { title, singleton: role, keeper: keeperRole } = opOf(step)
    const singleton = singletonOf(step)
    const expected = contracts && singletonsFor(step.op, contracts)
    if (role && singleton)
      add({ name: capitalize(role), address: singleton, expected, note: `Holds the pools of ${title}.` })
    const keeper = keeperOf(step)
    // No list contains these contracts. The pool's own code names them.
    if (keeperRole && keeper)
      add({
        name: capitalize(keeperRole),
        address: keeper,
        expected: undefined,
        note: `Keeps the tokens of a ${title}.`,
      })
  }
  return list
}

const capitalize = (word: string): string => word[0]!.toUpperCase() + word.slice(1)
