// Keeps what the user typed into a form while they leave its page to search for people and rooms and return
// to it at another address. A page that is opened anew starts empty, and values are deleted when the form is
// sent. Imports meeting.ts, whose changes to the fields must come first.
import './meeting.ts'

const box = document.querySelector('[data-keep-typed]')
const key = `typed ${location.pathname}`
if (box) begin(box)

function begin(box: Element) {
  const controls = [...box.querySelectorAll<HTMLInputElement>('input:not([type="hidden"]), select, textarea')]
  // The server shows the values of a refused form, which are the latest.
  const isRefused = box.querySelector('[role="alert"]') !== null
  if (location.search === '' || isRefused) sessionStorage.removeItem(key)
  if (isRefused) keep(Object.fromEntries(controls.map(({ name, value }) => [name, value])))
  for (const [name, value] of Object.entries(readTyped())) {
    const control = controls.find((each) => each.name === name)
    if (control && isOffered(control, value)) control.value = value
  }
  box.addEventListener('input', (event) => {
    const { name, value } = event.target as HTMLInputElement
    keep({ ...readTyped(), [name]: value })
  })
  box.addEventListener('submit', () => sessionStorage.removeItem(key))
}

function keep(values: Record<string, string>) {
  sessionStorage.setItem(key, JSON.stringify(values))
}

function readTyped(): Record<string, string> {
  return JSON.parse(sessionStorage.getItem(key) ?? '{}')
}

/** An organizer who was removed again is no longer an option. */
function isOffered(control: HTMLElement, value: string): boolean {
  if (!(control instanceof HTMLSelectElement)) return true
  return [...control.options].some((option) => option.value === value)
}
