// Menus behind “…”: a menu closes on Escape, on a click outside, and when the focus leaves it. Arrow keys move in it.
import { closest, isShortcut } from './shared/dom.ts'

const MENU = 'details.actions'

const listOpen = () => [...document.querySelectorAll<HTMLDetailsElement>(MENU)].filter(({ open }) => open)

function closeOthers(target: EventTarget | null) {
  for (const menu of listOpen()) if (target instanceof Node && !menu.contains(target)) menu.open = false
}

document.addEventListener('click', ({ target }) => closeOthers(target))
document.addEventListener('focusin', ({ target }) => closeOthers(target))
document.addEventListener('keydown', (event) => {
  const [menu] = listOpen()
  if (!menu || isShortcut(event)) return
  if (event.key === 'Escape') {
    // A panel that contains the menu stays open.
    event.preventDefault()
    menu.open = false
    menu.querySelector('summary')?.focus()
  } else if (['ArrowDown', 'ArrowUp'].includes(event.key) && closest(event, MENU) === menu) {
    event.preventDefault()
    const items = [...menu.querySelectorAll<HTMLElement>('li :is(a, button)')]
    const at = items.indexOf(document.activeElement as HTMLElement)
    const next = event.key === 'ArrowDown' ? at + 1 : at - 1
    items.at(next % items.length)?.focus()
  }
})

// The chosen tab of a row that scrolls sideways on a phone.
for (const tab of document.querySelectorAll('.my .tabs [aria-current]'))
  tab.scrollIntoView({ block: 'nearest', inline: 'center' })
