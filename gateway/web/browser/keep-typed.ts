// Keeps what the user typed into a form while they search for people and rooms on other pages, and restores
// it when they return. A page that is opened anew starts empty, and the values are deleted when the form is
// sent. Imports meeting.ts first, because that script's changes to the fields must come first.
import './meeting.ts'

const box = document.querySelector('[data-keep-typed]')
const storageKey = `typed ${location.pathname}`
if (box) restoreTyped(box)

function restoreTyped(box: Element) {
  const controls = [...box.querySelectorAll<HTMLInputElement>('input:not([type="hidden"]), select, textarea')]
  // If a form was refused, the server shows its values, which are newer than the stored ones.
  const isRefused = box.querySelector('[role="alert"]') !== null
  if (location.search === '' || isRefused) sessionStorage.removeItem(storageKey)
  if (isRefused) storeTyped(Object.fromEntries(controls.map(({ name, value }) => [name, value])))
  for (const [name, value] of Object.entries(readTyped())) {
    const control = controls.find((each) => each.name === name)
    if (control && isOffered(control, value)) control.value = value
  }
  box.addEventListener('input', (event) => {
    const { name, value } = event.target as HTMLInputElement
    storeTyped({ ...readTyped(), [name]: value })
  })
  box.addEventListener('submit', () => sessionStorage.removeItem(storageKey))
}

function storeTyped(values: Record<string, string>) {
  sessionStorage.setItem(storageKey, JSON.stringify(values))
}

function readTyped(): Record<string, string> {
  return JSON.parse(sessionStorage.getItem(storageKey) ?? '{}')
}

/** Returns whether the value is still an option. An organizer who was removed from the attendees is not. */
function isOffered(control: HTMLElement, value: string): boolean {
  if (!(control instanceof HTMLSelectElement)) return true
  return [...control.options].some((option) => option.value === value)
}
