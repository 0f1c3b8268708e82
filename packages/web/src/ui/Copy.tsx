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
  const [done, setDone] = useState(false)
  useEffect(() => {
    if (!done) return
    const later = setTimeout(() => setDone(false), 1_500)
    return () => clearTimeout(later)
  }, [done])
  return (
    <button
      type="button"
      className={className}
      onClick={() => navigator.clipboard?.writeText(text).then(() => setDone(true))}
    >
      {done ? 'Copied' : children}
    </button>
  )
}
