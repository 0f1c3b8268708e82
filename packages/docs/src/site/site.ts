/**
 * The script of every page: theme, tabs, and search. Pages work without it. It runs before the first paint, so that the
 * page never shows the wrong theme.
 */
import type { openSearch, SiteSearchResult } from './search.ts'

{
  const root = document.documentElement
  const ownScript = document.currentScript as HTMLScriptElement
  /** Returns the absolute address in a `data-` attribute of the script element. */
  const addressOf = (name: string) => new URL(ownScript.dataset[name]!, location.href).href
  const addresses = { root: addressOf('root'), search: addressOf('search'), index: addressOf('index') }
  root.classList.add('js')

  /** Reads a stored choice; null if there is none or storage is forbidden. */
  const storedValue = (key: string): string | null => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }
  const store = (key: string, value: string): void => {
    try {
      localStorage.setItem(key, value)
    } catch {
      // If storage is forbidden, the choice lasts until the page is closed.
    }
  }

  // The playground stores the theme under the same key.
  const chosenTheme = storedValue('theme')
  if (chosenTheme === 'light' || chosenTheme === 'dark') root.dataset.theme = chosenTheme
  const darkPreference = matchMedia('(prefers-color-scheme: dark)')
  const isDark = () => (root.dataset.theme ?? (darkPreference.matches ? 'dark' : 'light')) === 'dark'

  const startTheme = () => {
    const button = document.querySelector<HTMLButtonElement>('.theme')!
    const show = () => {
      button.textContent = isDark() ? 'Light' : 'Dark'
    }
    button.hidden = false
    button.addEventListener('click', () => {
      root.dataset.theme = isDark() ? 'light' : 'dark'
      store('theme', root.dataset.theme)
      show()
    })
    darkPreference.addEventListener('change', show)
    show()
  }

  type Tab = { readonly button: HTMLButtonElement; readonly panel: HTMLElement; readonly name: string }

  /** Turns the names of code blocks into buttons, following the ARIA tabs pattern. */
  const startTabs = () => {
    const groups: Tab[][] = []
    /** Shows the tabs of a language, in all groups that have such a tab. */
    const choose = (name: string) => {
      for (const tabs of groups) {
        if (!tabs.some((tab) => tab.name === name)) continue
        for (const { button, panel, name: tabName } of tabs) {
          panel.hidden = tabName !== name
          button.setAttribute('aria-selected', String(tabName === name))
          button.tabIndex = tabName === name ? 0 : -1
        }
      }
    }
    for (const [k, box] of document.querySelectorAll<HTMLElement>('.tabs').entries()) {
      const list = document.createElement('div')
      list.className = 'tabs__list'
      list.setAttribute('role', 'tablist')
      list.setAttribute('aria-label', 'Language')
      const tabs = [...box.querySelectorAll<HTMLElement>('.tab')].map((panel, n): Tab => {
        const name = panel.dataset.tab!
        const button = document.createElement('button')
        const label = panel.querySelector<HTMLElement>('.tab__name')!
        label.hidden = true
        Object.assign(button, { type: 'button', textContent: label.textContent, id: `tab-${k}-${n}` })
        panel.id = `panel-${k}-${n}`
        button.setAttribute('role', 'tab')
        button.setAttribute('aria-controls', panel.id)
        panel.setAttribute('role', 'tabpanel')
        panel.setAttribute('aria-labelledby', button.id)
        button.addEventListener('click', () => {
          const top = box.getBoundingClientRect().top
          choose(name)
          store('language', name)
          // Groups above may have changed their height, so the clicked group scrolls back to its place.
          scrollBy(0, box.getBoundingClientRect().top - top)
        })
        list.append(button)
        return { button, panel, name }
      })
      list.addEventListener('keydown', ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
        if (step === undefined) return
        const focusedIndex = tabs.findIndex(({ button }) => button === document.activeElement)
        const next = tabs[(focusedIndex + step + tabs.length) % tabs.length]!
        next.button.click()
        next.button.focus()
      })
      box.prepend(list)
      groups.push(tabs)
      choose(tabs[0]!.name)
    }
    const language = storedValue('language')
    if (language !== null) choose(language)
  }

  /** Creates the list item of a search result. */
  const itemOf = ({ id, shownHeading, shownPath, excerpt }: SiteSearchResult): HTMLLIElement => {
    const item = document.createElement('li')
    const link = document.createElement('a')
    const where = document.createElement('span')
    const text = document.createElement('span')
    const name = document.createElement('strong')
    link.href = new URL(id, addresses.root).href
    name.textContent = shownHeading
    where.textContent = shownPath
    text.textContent = excerpt
    link.append(name, ' ', where, ' ', text)
    item.append(link)
    return item
  }

  const startSearch = () => {
    const input = document.querySelector<HTMLInputElement>('#q')!
    const list = document.querySelector<HTMLUListElement>('#found')!
    const count = document.querySelector<HTMLElement>('#count')!
    let openedSearch: Promise<ReturnType<typeof openSearch>> | undefined
    const open = async () => {
      const [library, answer] = await Promise.all([import(addresses.search), fetch(addresses.index)])
      if (!answer.ok) throw new Error(`the index of the search answers ${answer.status}`)
      return (library as { openSearch: typeof openSearch }).openSearch(await answer.text())
    }
    const show = async () => {
      const question = input.value.trim()
      openedSearch ??= open()
      let results: readonly SiteSearchResult[]
      try {
        const search = await openedSearch
        results = search(question, 8)
      } catch (error) {
        openedSearch = undefined
        count.textContent = 'The search cannot be loaded.'
        throw error
      }
      // Ignores the result of an earlier question.
      if (question !== input.value.trim()) return
      list.replaceChildren(...results.map(itemOf))
      list.hidden = results.length === 0
      count.textContent = question === '' ? '' : `${results.length} results`
      count.classList.toggle('sr', question === '' || results.length > 0)
    }
    input.addEventListener('input', show)
    input.addEventListener('focus', () => {
      openedSearch ??= open()
      openedSearch.catch(() => {})
    })
    const close = () => {
      list.hidden = true
      count.classList.add('sr')
    }
    const box = input.parentElement!
    box.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') {
        close()
        input.focus()
      }
      if (event.key === 'Enter' && event.target === input) list.querySelector<HTMLAnchorElement>('a')?.click()
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (step === undefined || list.hidden) return
      event.preventDefault()
      const stops = [input, ...list.querySelectorAll('a')]
      const focusedIndex = stops.indexOf(document.activeElement as HTMLInputElement)
      stops[(focusedIndex + step + stops.length) % stops.length]!.focus()
    })
    box.addEventListener('focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node) || !box.contains(relatedTarget)) close()
    })
    // A result on the same page loads no new page, so the list must be closed here.
    list.addEventListener('click', close)
    document.addEventListener('keydown', (event) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea')
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.focus()
    })
  }

  document.addEventListener('DOMContentLoaded', () => {
    startTheme()
    startTabs()
    startSearch()
    document.querySelector('.menu [aria-current]')?.scrollIntoView({ block: 'center' })
    scrollTo(0, 0)
  })
}
