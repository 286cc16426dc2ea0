// The menu of small screens: closes by Escape, and by a click beside it.
const menu = document.querySelector<HTMLDetailsElement>('details.menu')

document.addEventListener('click', ({ target }) => {
  if (menu?.open && target instanceof Node && !menu.contains(target)) menu.open = false
})
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape' || !menu?.open) return
  menu.open = false
  menu.querySelector('summary')?.focus()
})
