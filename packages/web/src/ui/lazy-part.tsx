/** Components whose code loads on demand. */
import { type FunctionComponent, useEffect, useState } from 'react'

/** Function that loads a component, and the component once it is loaded. */
type LazyCode<P> = { readonly load: () => Promise<FunctionComponent<P>>; loaded?: FunctionComponent<P> }

/**
 * Returns a component whose code loads when it is first shown. Loading can fail, for example because a new version
 * replaced the file. Then a notice replaces the component, and the rest of the page stays usable.
 */
export function lazyPart<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  const code: LazyCode<P> = { load }
  return (props) => <Part code={code} props={props} />
}

function Part<P extends object>({ code, props }: { readonly code: LazyCode<P>; readonly props: P }) {
  const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
  useEffect(() => {
    if (code.loaded) return
    code.load().then(
      (component) => {
        code.loaded = component
        setState('loaded')
      },
      () => setState('failed'),
    )
  }, [code])
  if (code.loaded) return <code.loaded {...props} />
  return state === 'failed' ? <NotLoaded /> : null
}

/**
 * Offers a reload, because a browser does not request a module again after a failed import. The URL keeps the inputs.
 */
function NotLoaded() {
  return (
    <p className="note" role="status">
      This part of the page did not load.{' '}
      <button type="button" className="link" onClick={() => location.reload()}>
        Reload the page
      </button>
    </p>
  )
}
