/** The frame of all pages: the header, keyboard shortcuts, and the open page. */
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Dialog } from './Dialog.tsx'
import { Head } from './Head.tsx'
import { chainParameter } from './setting.ts'

const goes: Readonly<Record<string, string>> = {
  s: '/',
  e: '/app/explain',
  i: '/app/simulate',
  r: '/app/referee',
  p: '/app/prices',
  h: '/app/honesty',
  c: '/app/chains',
  a: '/app/api',
}
const keys = [
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

/** Name of the event that sends a shortcut key to the open page. Shortcuts apply only if no field has the focus. */
const keyEvent = 'sluice:key'

export function Shell() {
  const navigate = useNavigate()
  const chain = useRouterState({ select: ({ location }) => (location.search as { chain?: number }).chain })
  const [helping, setHelping] = useState(false)
  const chord = useRef(0)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (event.metaKey || event.ctrlKey || event.altKey) return
      // A dialog keeps the focus until the frame after it closes.
      if (target.closest('input, textarea, select, dialog[open]')) return
      const { key } = event
      if (performance.now() < chord.current && goes[key] !== undefined) {
        chord.current = 0
        navigate({ to: goes[key], search: chainParameter(chain) })
      } else if (key === 'g') chord.current = performance.now() + CHORD_MS
      else if (key === '?') setHelping(true)
      else if (key === '/' || key === 'r') {
        event.preventDefault()
        dispatchEvent(new CustomEvent(keyEvent, { detail: key }))
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
      <Head />
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
      {helping && (
        <Dialog title="Keys" onClose={() => setHelping(false)}>
          <dl className="dialog__b keys">
            {keys.map(([key, does]) => (
              <div key={key} className="contents">
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  )
}

/** Runs an action on a shortcut key, unless a field has the focus. */
export function useKey(key: '/' | 'r', act: () => void): void {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    const listen = (event: Event) => (event as CustomEvent).detail === key && latest.current()
    addEventListener(keyEvent, listen)
    return () => removeEventListener(keyEvent, listen)
  }, [key])
}
