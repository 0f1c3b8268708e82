/** The color theme, stored in the browser. */
import { useSyncExternalStore } from 'react'

type Theme = 'light' | 'dark'
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
const now = (): Theme => (document.documentElement.dataset.theme as Theme) ?? (system.matches ? 'dark' : 'light')

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  system.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    system.removeEventListener('change', listener)
  }
}

function flip(): void {
  const theme = now() === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset.theme = theme
  try {
    localStorage.setItem('theme', theme)
  } catch {
    // If storage is forbidden, the theme lasts until the page is closed.
  }
  for (const listener of listeners) listener()
}

export function useTheme(): readonly [Theme, () => void] {
  return [useSyncExternalStore(subscribe, now), flip]
}
