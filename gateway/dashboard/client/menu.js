// @ts-check
// Closes the menu of small screens on Escape, and on a click outside it.

for (const menu of document.querySelectorAll('details.menu')) {
  const details = /** @type {HTMLDetailsElement} */ (menu)
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !details.open) return
    details.open = false
    details.querySelector('summary')?.focus()
  })
  document.addEventListener('click', ({ target }) => {
    if (details.open && target instanceof Node && !details.contains(target)) details.open = false
  })
}
