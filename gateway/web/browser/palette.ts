// A dialog that finds people, desks, places and pages while the user types. It opens with / unless the user is typing,
// with Ctrl or Cmd and K anywhere, and from the search field in the header, which also works without scripts.
import { Combobox } from './shared/combobox.ts'
import { closestElement, fetchPagePart, hasShortcutModifier, setAttributes, withQuery } from './shared/dom.ts'
import { t } from './shared/translate.ts'

const fields = [...document.querySelectorAll<HTMLInputElement>('form.find input')]
const form = fields[0]?.form
if (form) startPalette(form)

function startPalette(form: HTMLFormElement) {
  const { dialog, field } = createDialog(form)

  const open = (words = '') => {
    if (!dialog.open) dialog.showModal()
    field.focus()
    if (words === '') return field.select()
    field.value = words
    field.dispatchEvent(new Event('input'))
  }

  document.addEventListener('keydown', (event) => {
    const isSlash =
      event.key === '/' && !hasShortcutModifier(event) && !closestElement(event, 'input, textarea, select')
    const isK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey
    if (!isSlash && !isK) return
    event.preventDefault()
    open()
  })
  for (const each of fields) {
    each.addEventListener('click', () => open())
    // Opens the dialog when the user reaches the field with the Tab key and types.
    each.addEventListener('input', () => {
      const words = each.value
      each.value = ''
      open(words)
    })
  }
}

function createDialog(form: HTMLFormElement) {
  const label = form.querySelector('input')?.getAttribute('aria-label') ?? ''
  const dialog = document.createElement('dialog')
  const box = document.createElement('div')
  const field = document.createElement('input')
  const status = document.createElement('p')
  const hint = t`People, desks, places, bookings by number, pages and actions`
  setAttributes(dialog, { class: 'palette', 'aria-label': label })
  setAttributes(field, { id: 'palette', 'aria-label': label, placeholder: label, maxlength: 255 })
  setAttributes(status, { role: 'status', class: 'soft' })
  status.textContent = hint
  box.append(form.querySelector('.icon')?.cloneNode(true) ?? '', field)
  dialog.append(box, status)
  document.body.append(dialog)
  new Combobox(field, {
    label,
    find: (q) => fetchPagePart(withQuery(form.action, { _part: 'suggestions', q })),
    choose(option) {
      dialog.close()
      location.assign(option.dataset.address ?? '')
    },
    announce(sentence) {
      status.textContent = sentence
    },
  })
  dialog.addEventListener('close', () => {
    field.value = ''
    status.textContent = hint
  })
  // Closes the dialog on a click outside it. The target of such a click is the dialog itself.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close()
  })
  return { dialog, field }
}
