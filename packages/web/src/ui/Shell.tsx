/** The frame of all pages: the header, keyboard shortcuts, and the open page. */
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Dialog } from './Dialog.tsx'
import { PageHeader } from './PageHeader.tsx'
import { chainParameter } from './service-info.ts'

/** Paths of the pages, by letter. The user types `g` and then the letter. */
const pathByKey: Readonly<Record<string, string>> = {
  s: '/',
  e: '/app/explain',
  i: '/app/simulate',
  r: '/app/referee',
  p: '/app/prices',
  h: '/app/honesty',
  c: '/app/chains',
  a: '/app/api',
}
/** Keyboard shortcuts and their effects, as listed in the help dialog. */
const shortcutHelp = [
  ['/', 'search tokens'],
  ['Enter', 'do what the main button says'],
  ['Esc', 'close or clear'],
  ['↑ ↓ Home End', 'between the pools of a drawing'],
  ['r', 'ask for the quote again'],
  ['g then s e i r p h c a', 'Swap, Explain, Simulate, Referee, Prices, Accuracy (how quotes hold), Chains, API'],
  ['?', 'this list'],
] as const
/** Maximum milliseconds between `g` and the letter of a page. */
const CHORD_MS = 1_500

/** Name of the event that reports a shortcut key to the open page. */
const KEY_EVENT = 'sluice:key'

export function Shell() {
  const navigate = useNavigate()
  const chain = useRouterState({ select: ({ location }) => (location.search as { chain?: number }).chain })
  const [isHelpOpen, setIsHelpOpen] = useState(false)
  const chordDeadline = useRef(0)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (event.metaKey || event.ctrlKey || event.altKey) return
      // Keys belong to a dialog with the focus. It keeps the focus until the frame after it closes.
      if (target.closest('input, textarea, select, dialog[open]')) return
      const { key } = event
      if (performance.now() < chordDeadline.current && pathByKey[key] !== undefined) {
        chordDeadline.current = 0
        navigate({ to: pathByKey[key], search: chainParameter(chain) })
      } else if (key === 'g') chordDeadline.current = performance.now() + CHORD_MS
      else if (key === '?') setIsHelpOpen(true)
      else if (key === '/' || key === 'r') {
        event.preventDefault()
        dispatchEvent(new CustomEvent(KEY_EVENT, { detail: key }))
      }
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [navigate, chain])
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <PageHeader />
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
      {isHelpOpen && (
        <Dialog title="Keys" onClose={() => setIsHelpOpen(false)}>
          <dl className="dialog__b keys">
            {shortcutHelp.map(([key, effect]) => (
              <div key={key} className="contents">
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{effect}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  )
}

/** Runs an action when a shortcut key is pressed and no field has the focus. */
export function useKey(key: '/' | 'r', action: () => void): void {
  const latest = useRef(action)
  latest.current = action
  useEffect(() => {
    const listen = (event: Event) => (event as CustomEvent).detail === key && latest.current()
    addEventListener(KEY_EVENT, listen)
    return () => removeEventListener(KEY_EVENT, listen)
  }, [key])
}
