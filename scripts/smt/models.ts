/**
 * Handwritten models of the Guard, in SMT-LIB 2 (scripts/smt/models). A solver proves the properties of a model for all
 * values. Each model lists the lines of the contracts that it models; the contracts must still contain them. It also
 * lists mutations of the model. Each mutation must make a property false, because a proof that cannot fail proves
 * nothing.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib/run.ts'
import type { Solver } from './solvers.ts'

type Mutation = { readonly name: string; readonly from: string; readonly to: string }
export type Model = {
  readonly name: string
  /** Lines of the contracts that are modeled, by file below contracts/src. */
  readonly linesByFile: Readonly<Record<string, readonly string[]>>
  readonly mutations: readonly Mutation[]
}
/** Answers of a solver to a model and its mutations. */
export type Verdict = {
  readonly model: string
  readonly solver: string
  /** Properties of the model. A property is proven if the solver shows that no values contradict it. */
  readonly properties: readonly { readonly name: string; readonly isProven: boolean }[]
  /** Mutations of the model, each with the first property that it makes false; undefined if there is none. */
  readonly mutations: readonly { readonly name: string; readonly refutedProperty: string | undefined }[]
}

const mutation = (name: string, from: string, to: string): Mutation => ({ name, from, to })

export const models: readonly Model[] = [
  {
    name: 'packing',
    linesByFile: {
      'core/Loan.sol': [
        'first := or(executor, shl(160, token))',
        'second := or(or(caller(), by), shl(192, shr(96, token)))',
        'token := or(shr(160, executor), shl(96, shr(192, lender)))',
        'payer := shr(96, shl(96, lender))',
        'uint256 private constant LOCKED = 1 << 160;',
        'uint256 private constant WRAPPED = 1 << 161;',
        'uint256 private constant PERMITTED = 1 << 162;',
      ],
      'slots/StorageSlots.sol': ['value := sub(word, iszero(iszero(word)))', 'sstore(slot, add(value, 1))'],
    },
    mutations: [
      mutation('the lock has no separate bit', 'LOCKED () Word (shl (_ bv160 256) one)', 'LOCKED () Word zero'),
      mutation('the token reaches into the flags', '(shl (_ bv192 256) (shr', '(shl (_ bv160 256) (shr'),
      mutation('the token loses its lower half', '(bvor executor (shl (_ bv160 256) token))', 'executor'),
      mutation('a wide word is an Executor', '(and (clean executor) (clean token)', '(and (clean token)'),
      mutation('the payer is not noted', '(bvor (bvor payer by)', '(bvor by'),
      mutation('the london build stores a word as it is', '(bvadd x one)', 'x'),
    ],
  },
  {
    name: 'loan',
    linesByFile: {
      'core/Loan.sol': [
        'if (uint160(executor) != uint160(msg.sender)) revert NotExecutor(msg.sender);',
        'refused := or(gt(amount, left), eq(to, address()))',
        '_set(REMAINING, left - amount);',
        'return _get(PAYER) != 0;',
        '_set(PAYER, LOCKED);',
        '_set(PAYER, 0);',
        '_set(EXECUTOR, 0);',
      ],
      'core/GuardCore.sol': ['if (_locked()) revert Reentrancy();', '_lend(amountIn);', '_lend(0);', '_unlock();'],
    },
    mutations: [
      mutation('the Guard can be entered again', 'enters () Bool (not isLocked)', 'enters () Bool true'),
      mutation('anyone may pull', 'isExecutor () Bool (= executor caller)', 'isExecutor () Bool true'),
      mutation('a pull may exceed the remaining loan', '(or (> requested remaining) (= to self))', '(= to self)'),
      mutation('the Guard may be pulled to', '(or (> requested remaining) (= to self))', '(> requested remaining)'),
      mutation('a pull is not counted', '(wrappedSub remaining requested)', 'remaining'),
      mutation(
        'the loan outlives the swap',
        '(invariant 4 executor payer isLocked 0',
        '(invariant 4 executor payer isLocked remaining',
      ),
      mutation(
        'the Executor outlives the swap',
        '(invariant 0 0 0 false remaining',
        '(invariant 0 executor 0 false remaining',
      ),
      mutation('the lock outlives the swap', '(invariant 0 0 0 false remaining', '(invariant 0 0 0 true remaining'),
      mutation(
        'the caller of a swap after a permit pays for another',
        '(invariant 2 newRunner sender true',
        '(invariant 2 newRunner caller true',
      ),
    ],
  },
  {
    name: 'transfers',
    linesByFile: {
      'libraries/Transfers.sol': [
        'mstore(0x14, to)',
        'mstore(0x34, amount)',
        'mstore(0x00, 0xa9059cbb000000000000000000000000)',
        'ok := call(gas(), token, 0, 0x10, 0x44, 0x00, 0x20)',
        'mstore(0x60, amount)',
        'mstore(0x40, to)',
        'mstore(0x2c, shl(96, from))',
        'mstore(0x0c, 0x23b872dd000000000000000000000000)',
        'ok := call(gas(), token, 0, 0x1c, 0x64, 0x00, 0x20)',
        'if iszero(and(ok, and(eq(mload(0x00), 1), gt(returndatasize(), 0x1f))))',
        'if and(iszero(ok), gt(returndatasize(), 0))',
        'ok := and(ok, and(iszero(returndatasize()), gt(extcodesize(token), 0)))',
      ],
    },
    mutations: [
      mutation('an answer of false is true', '(bvand callOk (bvand (iszero size) (evmGt codeSize zero)))', 'callOk'),
      mutation('an account without code pays', '(bvand (iszero size) (evmGt codeSize zero))', '(iszero size)'),
      mutation('a short answer is true', '(evmGt size (_ bv31 256))', 'one'),
      mutation('a failure with data passes', '(isTrue (bvand (iszero callOk) (evmGt size zero)))', 'false'),
      mutation(
        'the free memory pointer is not restored',
        't5 () Memory (mstore t4 (_ bv352 1024) zero)',
        't5 () Memory t4',
      ),
      mutation('the amount is a word too low', '(mstore t1 (_ bv352 1024) amount)', '(mstore t1 (_ bv96 1024) amount)'),
      mutation(
        'payer and recipient change places',
        '(mstore f1 (_ bv256 1024) recipient)',
        '(mstore f1 (_ bv256 1024) payer)',
      ),
      mutation('the zero slot is not restored', '(mstore (mstore f5 (_ bv0 1024) zero)', '(mstore f5'),
    ],
  },
  {
    name: 'orders',
    linesByFile: {
      'libraries/Orders.sol': [
        'if shr(160, or(or(tokenIn, tokenOut), executor)) { revert(0, 0) }',
        'late := gt(timestamp(), deadline)',
        'nothing := or(iszero(amountIn), iszero(minOutput))',
        'free := iszero(or(tokenIn, callvalue()))',
        'same := or(eq(tokenIn, tokenOut), iszero(or(tokenOut, iszero(callvalue()))))',
        'refused := or(eq(executor, address()), or(eq(executor, tokenIn), eq(executor, tokenOut)))',
        'wrong := or(or(late, nothing), or(free, or(same, refused)))',
        'or(iszero(recipient), eq(recipient, address()))',
      ],
    },
    mutations: [
      mutation('the deadline is ignored', 'late () Word (evmGt timestamp deadline)', 'late () Word zero'),
      mutation('nothing may be sold', '(bvor (iszero amountIn) (iszero minOutput))', '(iszero minOutput)'),
      mutation('a wide word is an Executor', '(bvor (bvor tokenIn tokenOut) executor)', '(bvor tokenIn tokenOut)'),
      mutation('native may be sold for itself', '(iszero (bvor tokenOut (iszero value)))', 'zero'),
      mutation(
        'native is given without value',
        '(iszero (bvor tokenIn value))',
        '(iszero (bvnot (bvor tokenIn value)))',
      ),
      mutation('the output token may be the recipient', '(evmEq recipient tokenOut)', 'zero'),
      mutation('the Guard may be the Executor', '(bvor (evmEq executor self) ', '(bvor zero '),
    ],
  },
  {
    name: 'amounts',
    linesByFile: {
      'core/GuardCore.sol': [
        'grown := mul(gt(later, before), sub(later, before))',
        'uint256 fee = amount * payout.feePpm / PPM;',
        'kept = amount - fee;',
      ],
      'libraries/Orders.sol': ['MAX_FEE_PPM = 100_000;'],
    },
    mutations: [
      mutation('the cap is a fifth', 'MAX_FEE_PPM () Int 100000', 'MAX_FEE_PPM () Int 200000'),
      mutation('the fee has no cap', '(<= feePpm MAX_FEE_PPM)', 'true'),
      mutation(
        'a balance that fell has grown',
        'rose () Word (evmGt later before)',
        'rose () Word (evmGt before later)',
      ),
    ],
  },
]

const read = (file: string): string => readFileSync(join(import.meta.dirname, 'models', `${file}.smt2`), 'utf8')

/**
 * Checks a model and its mutations.
 *
 * @throws Error if a modeled line is no longer in the contracts, or a mutation's line no longer in the model
 */
export function verdictOf(model: Model, solver: Solver): Verdict {
  checkLines(model)
  const text = read(model.name)
  const propertyOfQuery = propertiesOf(text)
  const mutatedModels = model.mutations.map(({ name, from, to }) => {
    if (!text.includes(from)) throw new Error(`"${name}" changes a line that is not in ${model.name}.smt2`)
    return text.replace(from, () => to)
  })
  // All queries are in one script, because a solver takes seconds to start.
  const answers = solver.solve([text, ...mutatedModels].map((script) => read('evm') + script).join('(reset)\n'))
  const queriesPerModel = propertyOfQuery.length
  const queryCount = queriesPerModel * (1 + mutatedModels.length)
  if (answers.length !== queryCount)
    throw new Error(`${solver.name} answered ${answers.length} of ${queryCount} queries`)
  const properties = [...new Set(propertyOfQuery)].map((name) => ({
    name,
    isProven: propertyOfQuery.every((property, i) => property !== name || answers[i] === 'unsat'),
  }))
  const mutations = model.mutations.map(({ name }, i) => {
    const ownAnswers = answers.slice(queriesPerModel * (i + 1), queriesPerModel * (i + 2))
    const queryIndex = ownAnswers.indexOf('sat')
    return { name, refutedProperty: queryIndex < 0 ? undefined : propertyOfQuery[queryIndex] }
  })
  return { model: model.name, solver: solver.name, properties, mutations }
}

function checkLines({ name, linesByFile }: Model): void {
  for (const [file, fileLines] of Object.entries(linesByFile)) {
    const source = readFileSync(join(root, 'contracts/src', file), 'utf8')
    for (const line of fileLines)
      if (!source.includes(line)) throw new Error(`${file} has no line "${line}" any more: adapt ${name}.smt2`)
  }
}

/** Returns the property to which each query of a model belongs, in the order of the queries. */
function propertiesOf(text: string): readonly string[] {
  const names: string[] = []
  let name = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('; property: ')) name = line.slice('; property: '.length)
    if (line === '(check-sat)') names.push(name)
  }
  return names
}
