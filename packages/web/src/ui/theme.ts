/** The color theme, stored in the browser. */
import { useSyncExternalStore } from 'react'

type Theme = 'light' | 'dark'
const darkPreference = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
const currentTheme = (): Theme =>
  (document.documentElement.dataset.theme as Theme) ?? (darkPreference.matches ? 'dark' : 'light')

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  darkPreference.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    darkPreference.removeEventListener('change', listener)
  }
}

function toggleTheme(): void {
  const theme = currentTheme() === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset.theme = theme
  try {
    localStorage.setItem('theme', theme)
  } catch {
    // If storage is forbidden, the theme lasts until the page is closed.
  }
  for (const listener of listeners) listener()
}

export function useTheme(): readonly [Theme, () => void] {
  return [useSyncExternalStore(subscribe, currentTheme), toggleTheme]
}
