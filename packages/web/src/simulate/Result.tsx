/** The result of a simulation. */

import type { SimulationResult } from '@sluice/client'
import { Link } from '@tanstack/react-router'
import { useTokenNames } from '../service/tokens.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Amount, Count } from '../ui/Num.tsx'
import { Row, SkeletonRows } from '../ui/Row.tsx'
import type { SimulateParams } from './params.ts'

/** Placeholder for the result, in its size. */
export function ResultSkeleton() {
  const names = ['Balance of the sender grows by', 'In base units', 'Gas of the call', 'Block']
  return (
    <>
      <div className="sim__b" role="status">
        <Notice kind="info" title="Simulating…" />
      </div>
      <SkeletonRows names={names} like="000 000" />
    </>
  )
}

type ResultProps = {
  readonly result: SimulationResult
  readonly chainId: number
  readonly params: SimulateParams
  readonly data: string
}

/** Maximum characters of return data that are shown. */
const MAX_SHOWN_CHARS = 258

export function Result({ result, chainId, params, data }: ResultProps) {
  const { success, amountOut, gasUsed, returnData, revertReason, block } = result
  const { tokenOf } = useTokenNames(chainId, [params.tokenOut!])
  const token = tokenOf(params.tokenOut!)
  return (
    <>
      <div className="sim__b" role="status">
        {success ? (
          <Notice kind="good" title="Succeeds." />
        ) : (
          <Notice kind="bad" title="Reverts.">
            {revertReason}
          </Notice>
        )}
      </div>
      <dl className="rows">
        <Row name="Balance of the sender grows by" className="strong">
          <Amount base={amountOut} decimals={token.decimals} digits={9} /> {token.symbol}
        </Row>
        <Row name="In base units" className="mono">
          {amountOut}
        </Row>
        <Row name="Gas of the call">
          <Count value={gasUsed} />
        </Row>
        <Row name="Block">{block}</Row>
      </dl>
      <div className="sim__b">
        <div className="sim__h">
          <span className="lab">{success ? 'Return data' : 'Revert payload'}</span>
          <CopyButton text={returnData}>Copy</CopyButton>
        </div>
        <p className="bytes bytes--short">
          {returnData.length > MAX_SHOWN_CHARS ? `${returnData.slice(0, MAX_SHOWN_CHARS)}…` : returnData}
        </p>
        <Link
          className="btn"
          to="/app/explain"
          search={{ chain: chainId }}
          hash={`data=${data}&to=${params.to}&from=${params.from}`}
        >
          Explain this call
        </Link>
      </div>
    </>
  )
}
