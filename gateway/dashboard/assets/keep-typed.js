// @ts-check
// Keeps what was typed into a form while its page is left to search for people and rooms, and comes back at another
// address. A page that is opened anew begins with nothing; what was sent is forgotten.
// What a meeting's own script does with its fields comes first.
import './meeting.js'

const kept = document.querySelector('[data-keep-typed]')
const key = `typed ${location.pathname}`
if (kept) begin(kept)

/** @param {Element} box */
function begin(box) {
  // What the server has refused it shows itself: that is what was typed last.
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
 * An organizer who was taken away again is no choice any more.
 * @param {HTMLElement} control
 * @param {string} value
 */
function isOffered(control, value) {
  if (!(control instanceof HTMLSelectElement)) return true
  return [...control.options].some((option) => option.value === value)
}
