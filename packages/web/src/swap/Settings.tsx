import { useState } from 'react'
import { IMPACT_DEFAULT } from '../service/words.ts'
import { Notice } from '../ui/Notice.tsx'
import { useSwapParams } from './params.ts'
import { slippageWarning } from './slippage.ts'
import type { Quote } from './use-quote.ts'

type Props = {
  /** Slippage that the service chose for the route that is shown; undefined where it was not asked to. */
  readonly auto: Quote['slippage']
  readonly onRecipient: (address: string | undefined) => void
}

const presets = ['0.1', '0.5', '1'] as const

/** Slippage, the limit of price impact, the recipient, and the fee of an app that sends people here. All of it stands in the address. */
export function Settings({ auto, onRecipient }: Props) {
  const [{ impact, recipient, fee, feeTo }, change] = useSwapParams()
  return (
    <div className="set">
      <Slippage auto={auto} />
      <div className="set__r">
        <Percentage
          label="Most price impact"
          value={impact ?? IMPACT_DEFAULT}
          most={100}
          onChange={(text) => change({ impact: text === IMPACT_DEFAULT ? undefined : text }, true)}
        />
      </div>
      <div className="set__r">
        <Recipient value={recipient} onChange={onRecipient} />
      </div>
      <div className="set__r">
        <Percentage
          label="Fee for the app that sends you"
          value={fee ?? ''}
          most={10}
          onChange={(text) => change({ fee: text || undefined }, true)}
        />
        {fee !== undefined && Number(fee) > 0 && (
          <label className="set__f">
            <span>Paid to</span>
            <input
              className="field mono"
              placeholder="0x…"
              defaultValue={feeTo ?? ''}
              onChange={(event) => change({ feeTo: event.target.value.trim() }, true)}
            />
          </label>
        )}
      </div>
    </div>
  )
}

type RecipientProps = { readonly value: string | undefined; readonly onChange: Props['onRecipient'] }

function Recipient({ value, onChange }: RecipientProps) {
  const [text, setText] = useState(value ?? '')
  const wrong = text !== '' && !/^0x[0-9a-fA-F]{40}$/.test(text)
  return (
    <label className="set__f">
      <span>Send the output to another account</span>
      <input
        className="field mono"
        value={text}
        placeholder="your wallet"
        spellCheck={false}
        aria-invalid={wrong}
        onChange={(event) => {
          const next = event.target.value.trim()
          setText(next)
          if (next === '' || /^0x[0-9a-fA-F]{40}$/.test(next)) onChange(next || undefined)
        }}
      />
      {wrong && (
        <span className="amt__why">Enter 0x and 40 hex digits. Until then, the last valid recipient counts.</span>
      )}
    </label>
  )
}

function Slippage({ auto }: Pick<Props, 'auto'>) {
  const [{ slippage }, change] = useSwapParams()
  const [own, setOwn] = useState(slippage !== undefined && !presets.some((preset) => preset === slippage))
  const warning = slippage === undefined ? null : slippageWarning(slippage)
  return (
    <div className="set__r">
      <span className="lab" id="slippage">
        Slippage: how much less you would accept
      </span>
      <fieldset className="seg" aria-labelledby="slippage">
        <button
          type="button"
          aria-pressed={slippage === undefined && !own}
          onClick={() => {
            setOwn(false)
            change({ slippage: undefined })
          }}
        >
          Auto {auto && `${auto.percent} %`}
        </button>
        {presets.map((preset) => (
          <button
            key={preset}
            type="button"
            aria-pressed={slippage === preset && !own}
            onClick={() => {
              setOwn(false)
              change({ slippage: preset })
            }}
          >
            {preset} %
          </button>
        ))}
        <button type="button" aria-pressed={own} onClick={() => setOwn(true)}>
          Own
        </button>
      </fieldset>
      {own && (
        <Percentage
          label="Own slippage"
          value={slippage ?? ''}
          most={50}
          onChange={(text) => change({ slippage: text || undefined }, true)}
        />
      )}
      <p className="note">
        {slippage === undefined
          ? `Auto: ${auto?.reason ?? 'as much as the route is likely to need'}.`
          : `${slippage} % less than simulated still goes through.`}
      </p>
      {warning && <Notice kind="warn" title={warning} />}
    </div>
  )
}

type PercentageProps = {
  readonly label: string
  readonly value: string
  readonly most: number
  readonly onChange: (text: string) => void
}

function Percentage({ label, value, most, onChange }: PercentageProps) {
  const [text, setText] = useState(value)
  const wrong = text !== '' && (!/^\d{1,3}(\.\d{1,4})?$/.test(text) || Number(text) > most)
  return (
    <label className="set__f">
      <span>{label}, %</span>
      <input
        className="field"
        inputMode="decimal"
        value={text}
        placeholder="none"
        aria-invalid={wrong}
        onChange={(event) => {
          const next = event.target.value.trim()
          setText(next)
          if (next === '' || (/^\d{1,3}(\.\d{1,4})?$/.test(next) && Number(next) <= most)) onChange(next)
        }}
      />
      {wrong && <span className="amt__why">At most {most}, with at most 4 decimals.</span>}
    </label>
  )
}
