// The menu of small screens, and keyboard shortcuts for the search of everything: / unless the user is
// typing, and Ctrl or Cmd with K anywhere.
import { closest, isShortcut } from './dom.ts'

const menu = document.querySelector<HTMLDetailsElement>('details.menu')

document.addEventListener('click', ({ target }) => {
  if (menu?.open && target instanceof Node && !menu.contains(target)) menu.open = false
})
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && menu?.open) {
    menu.open = false
    menu.querySelector('summary')?.focus()
  }
  const isSlash = event.key === '/' && !isShortcut(event) && !closest(event, 'input, textarea, select')
  const isK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey
  if (isSlash || isK) find(event)
})

function find(event: KeyboardEvent) {
  // On a small screen the field is in the menu.
  if (menu?.offsetParent) menu.open = true
  const fields = [...document.querySelectorAll<HTMLInputElement>('.find input')]
  const field = fields.find((each) => each.offsetParent)
  if (!field) return
  event.preventDefault()
  field.focus()
  field.select()
}
