/** The chain picker dialog. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog } from './Dialog.tsx'
import { useServiceInfo } from './service-info.ts'

const MAX_SHOWN = 60

export function ChainDialog({ chosenId, onClose }: { readonly chosenId: number; readonly onClose: () => void }) {
  const { chains, local } = useServiceInfo()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const searchText = text.trim().toLowerCase()
  const matches = chains.filter(({ id, name }) => name.toLowerCase().includes(searchText) || String(id) === searchText)
  const choose = (id: number) => {
    onClose()
    // Tokens differ between chains, so the other URL parameters are dropped.
    navigate({ to: '.', search: { chain: id } })
  }
  return (
    <Dialog title="Chain" onClose={onClose}>
      <div className="dialog__f">
        <input
          className="field"
          type="search"
          aria-label="Search chains"
          placeholder="Name or id"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !matches[0]) return
            event.preventDefault()
            choose(matches[0].id)
          }}
        />
      </div>
      <ul className="opts">
        {matches.slice(0, MAX_SHOWN).map(({ id, name, status }) => (
          <li key={id}>
            <button type="button" className="opt opt--plain" aria-pressed={id === chosenId} onClick={() => choose(id)}>
              <p>
                <b>{name}</b> <span className="unit">{id}</span>
              </p>
              <span className="unit">
                {id === local?.chainId ? 'runs here' : status === 'deployed' ? 'deployed' : 'not deployed yet'}
              </span>
            </button>
          </li>
        ))}
        {matches.length === 0 && <li className="opts__none note">No matching chain.</li>}
        {matches.length > MAX_SHOWN && (
          <li className="opts__none note">{matches.length - MAX_SHOWN} more: type a part of the name.</li>
        )}
      </ul>
    </Dialog>
  )
}
