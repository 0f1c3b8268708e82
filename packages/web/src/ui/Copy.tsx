/** A button that copies text. */
import { useEffect, useState } from 'react'

/** Copies a text and briefly confirms it in the button. */
export function Copy({
  text,
  children,
  className = 'link',
}: {
  readonly text: string
  readonly children: string
  readonly className?: string
}) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <button
      type="button"
      className={className}
      onClick={() => navigator.clipboard?.writeText(text).then(() => setIsCopied(true))}
    >
      {isCopied ? 'Copied' : children}
    </button>
  )
}
