/** Hook that sets the title of the browser tab. */
import { useEffect } from 'react'

export function useTitle(name: string): void {
  useEffect(() => {
    document.title = `${name} · Sluice`
  }, [name])
}
