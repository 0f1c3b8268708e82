/** The settings of a swap: slippage, price impact limit, recipient, and integrator fee. */

import { useState } from 'react'
import { isAddress } from '../format/hex.ts'
import { DEFAULT_MAX_IMPACT } from '../service/error-messages.ts'
import { Notice } from '../ui/Notice.tsx'
import { useSwapParams } from './params.ts'
import { slippageWarning } from './slippage.ts'
import { isPercent, MAX_FEE_PERCENT, MAX_IMPACT_PERCENT, MAX_SLIPPAGE_PERCENT, type OrderTerms } from './terms.ts'
import type { ShownQuote } from './use-quote.ts'

type Props = {
  /** Slippage that the service chose for the shown route; undefined if the request set a slippage. */
  readonly autoSlippage: ShownQuote['slippage']
  readonly terms: OrderTerms
}

const presets = ['0.1', '0.5', '1'] as const

/** Edits the settings. The URL contains them, so that a link to an order is complete. */
export function Settings({ autoSlippage, terms }: Props) {
  const [{ impact, recipient, fee, feeTo }] = useSwapParams()
  return (
    <div className="set">
      <Slippage autoSlippage={autoSlippage} terms={terms} />
      <div className="set__r">
        <Percentage
          label="Max price impact"
          value={impact ?? DEFAULT_MAX_IMPACT}
          max={MAX_IMPACT_PERCENT}
          onChange={(text) => terms.set({ impact: text === DEFAULT_MAX_IMPACT || text === '' ? undefined : text })}
        />
      </div>
      <div className="set__r">
        <Recipient value={recipient} onChange={(address) => terms.set({ recipient: address })} />
      </div>
      <div className="set__r">
        <Percentage
          label="Integrator fee"
          value={fee ?? ''}
          max={MAX_FEE_PERCENT}
          onChange={(text) => terms.set({ fee: text || undefined })}
        />
        {fee !== undefined && Number(fee) !== 0 && (
          <label className="set__f">
            <span>Paid to</span>
            <input
              className="field mono"
              placeholder="0x…"
              spellCheck={false}
              defaultValue={feeTo ?? ''}
              onChange={(event) => terms.set({ feeTo: event.target.value.trim() || undefined })}
            />
          </label>
        )}
      </div>
    </div>
  )
}

type RecipientProps = {
  readonly value: string | undefined
  readonly onChange: (address: string | undefined) => void
}

function Recipient({ value, onChange }: RecipientProps) {
  const [text, setText] = useState(value ?? '')
  const isInvalid = text !== '' && !isAddress(text)
  return (
    <label className="set__f">
      <span>Send the output to another account</span>
      <input
        className="field mono"
        value={text}
        placeholder="your wallet"
        spellCheck={false}
        aria-invalid={isInvalid}
        onChange={(event) => {
          const next = event.target.value.trim()
          setText(next)
          // Applies an invalid address too, which the main button refuses. Otherwise the previous recipient would stay
          // in effect.
          onChange(next || undefined)
        }}
      />
      {isInvalid && <span className="amt__why">Enter 0x and 40 hex digits.</span>}
    </label>
  )
}

function Slippage({ autoSlippage, terms }: Props) {
  const [{ slippage }] = useSwapParams()
  const [isCustom, setIsCustom] = useState(slippage !== undefined && !presets.some((preset) => preset === slippage))
  const warning = slippage === undefined ? null : slippageWarning(slippage)
  return (
    <div className="set__r">
      <span className="lab" id="slippage">
        Slippage tolerance
      </span>
      <fieldset className="seg" aria-labelledby="slippage">
        <button
          type="button"
          aria-pressed={slippage === undefined && !isCustom}
          onClick={() => {
            setIsCustom(false)
            terms.set({ slippage: undefined })
          }}
        >
          Auto {autoSlippage && `${autoSlippage.percent} %`}
        </button>
        {presets.map((preset) => (
          <button
            key={preset}
            type="button"
            aria-pressed={slippage === preset && !isCustom}
            onClick={() => {
              setIsCustom(false)
              terms.set({ slippage: preset })
            }}
          >
            {preset} %
          </button>
        ))}
        <button type="button" aria-pressed={isCustom} onClick={() => setIsCustom(true)}>
          Custom
        </button>
      </fieldset>
      {isCustom && (
        <Percentage
          label="Custom slippage"
          value={slippage ?? ''}
          max={MAX_SLIPPAGE_PERCENT}
          onChange={(text) => terms.set({ slippage: text || undefined })}
        />
      )}
      <p className="note">
        {slippage === undefined
          ? autoNote(autoSlippage?.reason)
          : `The swap goes through if you get up to ${slippage} % less than quoted.`}
      </p>
      {warning && <Notice kind="warn" title={warning} />}
    </div>
  )
}

/**
 * Matches the number of pools whose price movement the service has measured, in the reason that it gives for its
 * slippage.
 */
const MEASURED_COUNT = /measured for (\d+) of/

function autoNote(reason: string | undefined): string {
  const measuredCount = Number(MEASURED_COUNT.exec(reason ?? '')?.[1] ?? 0)
  const basis = measuredCount > 0 ? '' : ' (no history yet, so estimated from their fees)'
  return `Set from how much these pools usually move in two blocks${basis}.`
}

type PercentageProps = {
  readonly label: string
  readonly value: string
  readonly max: number
  readonly onChange: (text: string) => void
}

/** Returns the number as the service accepts it. A comma counts as a decimal point, as in the amount field. */
const normalizeDecimal = (text: string): string =>
  text
    .replace(',', '.')
    .replace(/^\./, '0.')
    .replace(/^(\d+)\.$/, '$1')

function Percentage({ label, value, max, onChange }: PercentageProps) {
  const [text, setText] = useState(value)
  const isInvalid = text !== '' && !isPercent(normalizeDecimal(text), max)
  return (
    <label className="set__f">
      <span>{label}, %</span>
      <input
        className="field"
        inputMode="decimal"
        value={text}
        placeholder="none"
        aria-invalid={isInvalid}
        onChange={(event) => {
          const next = event.target.value.trim()
          setText(next)
          // Applies an invalid number too, which the main button refuses. Otherwise, after typing 100, the valid 10
          // would stay in effect.
          onChange(normalizeDecimal(next))
        }}
      />
      {isInvalid && <span className="amt__why">Enter a number from 0 to {max}.</span>}
    </label>
  )
}
