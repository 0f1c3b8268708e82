/** The document title. */
import { useEffect } from 'react'

export function useTitle(name: string): void {
  useEffect(() => {
    document.title = `${name} · Sluice`
  }, [name])
}
