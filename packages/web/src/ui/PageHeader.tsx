/** The page header. */
import { Link, useRouterState } from '@tanstack/react-router'
import { memo, useEffect, useRef, useState } from 'react'
import { pages } from '../pages.ts'
import { useStatus } from '../service/chains.ts'
import { ChainDialog } from './ChainDialog.tsx'
import { Count } from './Num.tsx'
import { chainParameter, useChain } from './service-info.ts'
import { useTheme } from './theme.ts'
import { WalletButton } from './WalletButton.tsx'

/**
 * Shows the navigation, the chain, the theme, and the wallet. Memoized: only the path and the chain of the URL matter.
 */
export const PageHeader = memo(function PageHeader() {
  const chainInUrl = useRouterState({ select: ({ location }) => (location.search as { chain?: number }).chain })
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const chain = useChain(chainInUrl)
  const { data: status } = useStatus(chain.id)
  const [isChoosingChain, setIsChoosingChain] = useState(false)
  const [theme, toggleTheme] = useTheme()
  const nav = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect must run on each new path.
  useEffect(() => scrollToOpenPage(nav.current), [path])
  const dotClass =
    status === undefined || status.state === 'asleep' ? 'pip--warn' : status.state === 'failing' ? 'pip--bad' : ''
  return (
    <header className="top">
      <div className="top__in">
        <Link className="brand" to="/" search={chainParameter(chainInUrl)} aria-label="Sluice, swap">
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M4 2v20M20 2v20" stroke="currentColor" strokeWidth="2.5" />
            <path d="M5 5h14v6H5z" fill="currentColor" />
            <path className="brand__water" d="M5 16h14M5 20h14" strokeWidth="2" />
          </svg>
          Sluice
        </Link>
        <nav className="nav" aria-label="Pages" ref={nav}>
          {Object.values(pages).map(({ path: to, name }) => (
            <Link key={to} to={to} search={chainParameter(chainInUrl)} aria-current={path === to ? 'page' : undefined}>
              {name}
            </Link>
          ))}
          <a href="/docs">Docs</a>
        </nav>
        <div className="top__r">
          <button type="button" className="head-chip" onClick={() => setIsChoosingChain(true)} aria-haspopup="dialog">
            <span className={`pip ${dotClass}`} />
            {chain.name}
            <span className="unit hide-s">
              {status?.state === 'failing' ? (
                'node down'
              ) : status?.head === undefined ? (
                'asleep'
              ) : (
                <>
                  block <Count value={status.head} />
                </>
              )}
            </span>
          </button>
          <button type="button" className="head-chip head-chip--quiet" onClick={toggleTheme}>
            {theme === 'dark' ? 'Light mode' : 'Dark mode'}
          </button>
          <WalletButton />
        </div>
      </div>
      {isChoosingChain && <ChainDialog chosenId={chain.id} onClose={() => setIsChoosingChain(false)} />}
    </header>
  )
})

/** Scrolls the navigation, which is wider than a phone screen, so that the link of the open page is centered. */
function scrollToOpenPage(nav: HTMLElement | null): void {
  const link = nav?.querySelector('[aria-current]')
  if (!nav || !link) return
  const [navBox, linkBox] = [nav.getBoundingClientRect(), link.getBoundingClientRect()]
  // Does not use `scrollIntoView`: after it, the Tab key would start at this link and miss the link to the content.
  nav.scrollLeft += (linkBox.left + linkBox.right - navBox.left - navBox.right) / 2
}
