// @ts-check
// Keeps what the user typed into a form while they leave its page to search for people and rooms and return
// to it at another address. A page that is opened anew starts empty, and values are deleted when the form is
// sent. Imports meeting.js, whose changes to the fields must come first.
import './meeting.js'

const kept = document.querySelector('[data-keep-typed]')
const key = `typed ${location.pathname}`
if (kept) begin(kept)

/** @param {Element} box */
function begin(box) {
  // The server shows the values of a refused form, which are the latest.
  const isRefused = box.querySelector('[role="alert"]') !== null
  if (location.search === '' || isRefused) sessionStorage.removeItem(key)
  if (isRefused) keep(Object.fromEntries(controlsOf(box).map(({ name, value }) => [name, value])))
  for (const [name, value] of Object.entries(typed())) {
    const control = controlsOf(box).find((each) => each.name === name)
    if (control && isOffered(control, value)) control.value = value
  }
  box.addEventListener('input', (event) => {
    const control = /** @type {HTMLInputElement} */ (event.target)
    keep({ ...typed(), [control.name]: control.value })
  })
  box.addEventListener('submit', () => sessionStorage.removeItem(key))
}

/** @param {Record<string, string>} values */
function keep(values) {
  sessionStorage.setItem(key, JSON.stringify(values))
}

/** @returns {Record<string, string>} */
function typed() {
  return JSON.parse(sessionStorage.getItem(key) ?? '{}')
}

/**
 * @param {Element} box
 * @returns {HTMLInputElement[]}
 */
function controlsOf(box) {
  return [...box.querySelectorAll('input:not([type="hidden"]), select, textarea')].map(
    (each) => /** @type {HTMLInputElement} */ (each),
  )
}

/**
 * An organizer who was removed again is no longer an option.
 * @param {HTMLElement} control
 * @param {string} value
 */
function isOffered(control, value) {
  if (!(control instanceof HTMLSelectElement)) return true
  return [...control.options].some((option) => option.value === value)
}
