// @ts-check
// Keyboard shortcuts for the search of everything: / unless the user is typing, and Ctrl or Cmd with K
// anywhere.

document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null
  const isSlash = event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey
  const isK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey
  if (!isSlash && !isK) return
  const fields = [...document.querySelectorAll('.find input')].filter(
    (each) => each instanceof HTMLInputElement,
  )
  const menu = document.querySelector('details.menu')
  // On a small screen the field is in the menu.
  if (menu instanceof HTMLDetailsElement && menu.offsetParent !== null) menu.open = true
  const field = fields.find((each) => each.offsetParent !== null)
  if (!field) return
  event.preventDefault()
  field.focus()
  field.select()
})
