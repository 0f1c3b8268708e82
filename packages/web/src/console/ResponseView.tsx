/** The response panel of the API console. */
import { Fragment, type ReactNode } from 'react'
import { CopyButton } from '../ui/CopyButton.tsx'
import type { ConsoleResponse } from './wire.ts'

/** Length up to which a string in the response is shown in full. The copy button copies the response without cuts. */
const MAX_SHOWN_CHARS = 90
/** Number of characters shown of a longer string. */
const TRUNCATED_CHARS = 66

/** Shows the status, the duration, and the body of a response. */
export function ResponseView({
  response: { status, durationMs, body, isComplete, retryAfter },
}: {
  readonly response: ConsoleResponse
}) {
  const json = isComplete ? parseJson(body) : undefined
  const errorCode = (json as { code?: unknown } | undefined)?.code
  const dotClass = status < 400 ? '' : status < 500 ? 'pip--warn' : 'pip--bad'
  const statusText = [
    typeof errorCode === 'string' ? errorCode : status < 400 ? 'OK' : '',
    `${durationMs} ms`,
    retryAfter && `try again in ${retryAfter} s`,
  ]
  const text = json === undefined ? body : JSON.stringify(json, (_, value) => cutLongText(value), 2)
  return (
    <>
      <div className="res-h">
        <span className={`pip ${dotClass}`} />
        <span className="status">{status}</span>
        <span className="unit">{statusText.filter(Boolean).join(' · ')}</span>
        <CopyButton text={body}>Copy</CopyButton>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll the body. */}
      <pre className="res" tabIndex={0}>
        {text.split(/("[^"\n]+"):/).map((part, k): ReactNode => {
          const isKey = k % 2 === 1
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no key other than their index.
            <Fragment key={k}>
              {isKey ? (
                <>
                  <span className="k">{part}</span>:
                </>
              ) : (
                part
              )}
            </Fragment>
          )
        })}
      </pre>
    </>
  )
}

const cutLongText = (value: unknown): unknown =>
  typeof value === 'string' && value.length > MAX_SHOWN_CHARS ? `${value.slice(0, TRUNCATED_CHARS)}…` : value

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
