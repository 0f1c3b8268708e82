/** A modal dialog. */
import { type ReactNode, useEffect, useId, useRef } from 'react'

type Props = { readonly title: string; readonly onClose: () => void; readonly children: ReactNode }

/** Uses the browser's modal dialog, which traps the focus, closes on Escape, and restores the focus. */
export function Dialog({ title, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current!
    const previousFocus = document.activeElement as HTMLElement | null
    dialog.showModal()
    // A dialog with a field opens with the focus in it.
    dialog.querySelector('input')?.focus()
    return () => {
      dialog.close()
      previousFocus?.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the dialog like a click outside.
    <dialog
      ref={ref}
      className="dialog"
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <div className="dialog__h">
        <h2 id={id}>{title}</h2>
        <button type="button" className="link" onClick={onClose}>
          Close
        </button>
      </div>
      {children}
    </dialog>
  )
}
