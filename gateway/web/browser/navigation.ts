// The menus behind “…”. A menu closes on Escape, on a click outside, and when the focus leaves it. Arrow keys move
// within the menu.
import { closestElement, hasShortcutModifier } from './shared/dom.ts'

const MENU_SELECTOR = 'details.actions'

const listOpenMenus = () =>
  [...document.querySelectorAll<HTMLDetailsElement>(MENU_SELECTOR)].filter(({ open }) => open)

function closeOtherMenus(target: EventTarget | null) {
  for (const menu of listOpenMenus()) if (target instanceof Node && !menu.contains(target)) menu.open = false
}

document.addEventListener('click', ({ target }) => closeOtherMenus(target))
document.addEventListener('focusin', ({ target }) => closeOtherMenus(target))
document.addEventListener('keydown', (event) => {
  const [menu] = listOpenMenus()
  if (!menu || hasShortcutModifier(event)) return
  if (event.key === 'Escape') {
    // Prevents Escape from also closing a panel that contains the menu.
    event.preventDefault()
    menu.open = false
    menu.querySelector('summary')?.focus()
  } else if (['ArrowDown', 'ArrowUp'].includes(event.key) && closestElement(event, MENU_SELECTOR) === menu) {
    event.preventDefault()
    const items = [...menu.querySelectorAll<HTMLElement>('li :is(a, button)')]
    const at = items.indexOf(document.activeElement as HTMLElement)
    const next = event.key === 'ArrowDown' ? at + 1 : at - 1
    items.at(next % items.length)?.focus()
  }
})

// Scrolls to the selected tab if the tabs scroll sideways, as on a phone.
for (const tab of document.querySelectorAll('.my .tabs [aria-current]'))
  tab.scrollIntoView({ block: 'nearest', inline: 'center' })
