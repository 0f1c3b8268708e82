import { type ReactNode, useEffect, useId, useRef } from 'react'

type Props = { readonly title: string; readonly onClose: () => void; readonly children: ReactNode }

/** The browser's own modal: it keeps the focus inside, closes on Escape and gives the focus back. */
export function Dialog({ title, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current!
    const before = document.activeElement as HTMLElement | null
    dialog.showModal()
    // Where there is a field, it is what people came for.
    dialog.querySelector('input')?.focus()
    return () => {
      dialog.close()
      before?.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does what a click beside it does.
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
