/** The token picker dialog. */

import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { isAddress } from '../format/hex.ts'
import type { PageChain } from '../service/chains.ts'
import { isNative, type PageToken, useTokenSearch } from '../service/tokens.ts'
import { Address } from '../ui/Address.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Amount } from '../ui/Num.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { useBalance } from '../wallet/use-wallet.ts'
import { optionAfterKey } from './option-keys.ts'
import { type TicketSide, TokenIcon } from './Ticket.tsx'
import { isSameToken } from './use-quote.ts'

type Props = {
  readonly chain: Pick<PageChain, 'id' | 'name'>
  readonly side: TicketSide
  readonly chosenAddress: string | undefined
  readonly onChoose: (token: PageToken) => void
  readonly onClose: () => void
}

/**
 * Searches the service's tokens by symbol, name, or address (a combobox). Tokens that copy the symbol of a well-known
 * token are marked and listed last.
 */
export function TokenPicker({ chain, side, chosenAddress, onChoose, onClose }: Props) {
  const [text, setText] = useState('')
  const [requestedIndex, setRequestedIndex] = useState(0)
  const { data, isPending, isPlaceholderData, isError } = useTokenSearch(chain.id, text.trim(), true)
  const listId = toElementId(useId())
  const options = orderTokens(data ?? [])
  const activeIndex = Math.min(requestedIndex, options.length - 1)
  // During a search, the list still shows the results for the previous text. Enter must not choose one of these tokens.
  const isSearching = isPending || isPlaceholderData
  // True if the user pressed Enter during a search. Then the page chooses the first token that the search finds.
  const [isEnterPending, setIsEnterPending] = useState(false)
  useEffect(() => {
    if (!isEnterPending || isSearching) return
    setIsEnterPending(false)
    if (options[activeIndex]) onChoose(options[activeIndex])
  })
  const handleKey = (event: KeyboardEvent) => {
    const next = optionAfterKey(event.key, activeIndex, options.length)
    if (next !== undefined) {
      event.preventDefault()
      setRequestedIndex(next)
      document.getElementById(`${listId}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      // Choosing closes the dialog. Without `preventDefault`, the key press would click the button that opened it.
      event.preventDefault()
      if (isSearching) setIsEnterPending(true)
      else if (options[activeIndex]) onChoose(options[activeIndex])
    }
  }
  return (
    <Dialog title={`Token to ${side}`} onClose={onClose}>
      <div className="dialog__f">
        <input
          className="field"
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={options[activeIndex] && `${listId}-${activeIndex}`}
          aria-autocomplete="list"
          aria-label="Search tokens"
          placeholder="Symbol, name or address"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setRequestedIndex(0)
            setIsEnterPending(false)
          }}
          onKeyDown={handleKey}
        />
      </div>
      <div className="opts" id={listId} role="listbox" aria-label="Tokens">
        {options.map((token, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input keeps the focus and handles keys.
          // biome-ignore lint/a11y/useFocusableInteractive: the input references the active option.
          <div
            key={token.address}
            className="opt"
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === activeIndex}
            onPointerMove={() => setRequestedIndex(index)}
            onClick={() => onChoose(token)}
          >
            <TokenLabel token={token} isChosen={isSameToken(token.address, chosenAddress)} />
            <Balance chainId={chain.id} token={token} />
          </div>
        ))}
        {isPending && (
          <p className="opts__none">
            <Skeleton like="WETH Wrapped Ether" />
          </p>
        )}
      </div>
      {!isPending && options.length === 0 && <NoTokens text={text} chain={chain} isError={isError} />}
    </Dialog>
  )
}

type NoTokensProps = { readonly text: string; readonly chain: Pick<PageChain, 'name'>; readonly isError: boolean }

function NoTokens({ text, chain, isError }: NoTokensProps) {
  return (
    <p className="opts__none note" role="status">
      {isError
        ? 'Couldn’t load tokens.'
        : isAddress(text.trim())
          ? `No pool on ${chain.name} trades this token.`
          : 'No match. Try the contract address.'}
    </p>
  )
}

function TokenLabel({ token, isChosen }: { readonly token: PageToken; readonly isChosen: boolean }) {
  return (
    <>
      <TokenIcon symbol={token.symbol} />
      <p>
        <b title={token.fullSymbol}>{token.symbol}</b> <span className="unit">{token.name}</span>
        {isChosen && <span className="unit"> · chosen</span>}
        <br />
        {token.tags?.includes('copy') ? (
          <span className="copy">
            Not the well-known {token.symbol}: different contract <Address address={token.address} />
          </span>
        ) : token.tags?.includes('unlisted') ? (
          <span className="copy">
            Unverified: found by address only <Address address={token.address} />
          </span>
        ) : isNative(token.address) ? (
          <span className="addr">native</span>
        ) : (
          <Address address={token.address} />
        )}
      </p>
    </>
  )
}

const toElementId = (text: string): string => `tokens${text.replace(/\W/g, '')}`

/** Moves tokens that copy the symbol of a well-known token to the end. */
function orderTokens(tokens: readonly PageToken[]): readonly PageToken[] {
  const copyRank = ({ tags }: PageToken) => Number(tags?.includes('copy') ?? false)
  return [...tokens].sort((a, b) => copyRank(a) - copyRank(b))
}

function Balance({ chainId, token }: { readonly chainId: number; readonly token: PageToken }) {
  const balance = useBalance(chainId, token.address)
  return balance === undefined ? null : <Amount base={balance} decimals={token.decimals} maxDecimals={4} />
}
