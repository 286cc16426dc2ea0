// Suggests people in fields that name a person, or one person per line, while the user types. Without this script, the form
// finds the people by what was typed.
import { Combobox } from './shared/combobox.ts'
import { fetchPagePart, setAttributes, withQuery } from './shared/dom.ts'
import { t } from './shared/translate.ts'

const search = document.querySelector<HTMLFormElement>('form.find')
if (search)
  for (const box of document.querySelectorAll<HTMLElement>('[data-named-people]'))
    startSuggestions(box, search)

function startSuggestions(box: HTMLElement, { action }: HTMLFormElement) {
  const named = box.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea')
  if (!named) return
  const field = named instanceof HTMLTextAreaElement ? createField(named) : named
  const status = document.createElement('p')
  setAttributes(status, { role: 'status', class: 'unseen' })
  box.append(status)
  new Combobox(field, {
    label: t`People found`,
    find: (q) => fetchPagePart(withQuery(action, { _part: 'people', q })),
    choose({ dataset }) {
      const entry = dataset.entry ?? ''
      named.value = named === field ? entry : [named.value.trim(), entry].filter(Boolean).join('\n')
      // Marks the form as changed. In the field itself, the event would search again.
      if (named !== field) named.dispatchEvent(new Event('input', { bubbles: true }))
    },
    announce(sentence) {
      status.textContent = sentence
    },
  })
}

/** Adds a field below a text with one person per line. A chosen person becomes a line of the text. */
function createField(named: HTMLTextAreaElement): HTMLInputElement {
  const field = document.createElement('input')
  setAttributes(field, {
    id: `${named.id}-add`,
    'aria-label': t`Add a person`,
    placeholder: t`Add a person`,
    maxlength: 255,
  })
  named.after(field)
  return field
}
