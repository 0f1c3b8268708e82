/** The confirmation dialog for a swap whose output is worth much less than its input. */
import { Dialog } from '../ui/Dialog.tsx'
import { Amount, Usd } from '../ui/Num.tsx'
import type { Loss } from './loss.ts'
import { MainButton } from './MainButton.tsx'
import type { SwapPageState } from './use-swap.ts'

type Props = { readonly swap: SwapPageState; readonly loss: Loss; readonly onClose: () => void }

export function LossDialog({ swap, loss, onClose }: Props) {
  const { order, quote, actions, isReady } = swap
  const { src, dst } = order
  if (!quote || !src || !dst) return null
  const percent = `${loss.percent.toFixed(2)}\u00a0%`
  return (
    <Dialog title="This swap loses money" onClose={onClose}>
      <div className="dialog__b stack">
        <p className="loss">
          {loss.usd === undefined ? (
            <>You lose about {percent} to price impact.</>
          ) : (
            <>
              You lose about <Usd value={loss.usd} /> ({percent}).
            </>
          )}
        </p>
        <p>
          You pay <Amount base={quote.fromAmount} decimals={src.decimals} /> {src.symbol} and receive{' '}
          <Amount base={quote.toAmount} decimals={dst.decimals} digits={9} /> {dst.symbol}.
          {loss.usd !== undefined && ' Compared by current prices.'} A smaller amount usually loses less.
        </p>
        <button type="button" className="btn" onClick={onClose}>
          Go back
        </button>
        <MainButton
          kind="danger"
          onClick={
            isReady
              ? () => {
                  onClose()
                  actions.sign()
                }
              : undefined
          }
        >
          <span>Swap anyway and lose {loss.usd === undefined ? percent : <Usd value={loss.usd} />}</span>
        </MainButton>
      </div>
    </Dialog>
  )
}
