/** A button that copies text. */
import { useEffect, useState } from 'react'
import { copyText } from './copy-text.ts'

/** Copies a text, and briefly shows in the button whether the browser allowed it. */
export function CopyButton({
  text,
  children,
  className = 'link',
}: {
  readonly text: string
  readonly children: string
  readonly className?: string
}) {
  const [result, setResult] = useState<string>()
  useEffect(() => {
    if (result === undefined) return
    const timer = setTimeout(() => setResult(undefined), 1_500)
    return () => clearTimeout(timer)
  }, [result])
  return (
    <button
      type="button"
      className={className}
      onClick={() => copyText(text).then((isCopied) => setResult(isCopied ? 'Copied' : 'Not copied'))}
    >
      {result ?? children}
    </button>
  )
}
