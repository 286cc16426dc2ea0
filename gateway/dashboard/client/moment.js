// @ts-check
// The time that a map shows: adds a slider to the fields of the form, and the map follows at once.

const box = document.querySelector('[data-moment]')
if (box) follow(box)

/** @param {Element} box */
function follow(box) {
  const slider = /** @type {HTMLInputElement} */ (box.querySelector('input[type="range"]'))
  const time = /** @type {HTMLInputElement} */ (box.querySelector('input[name="time"]'))
  const date = /** @type {HTMLInputElement} */ (box.querySelector('input[name="date"]'))
  const frame = /** @type {HTMLElement} */ (slider.parentElement)
  const words = box.querySelector('[data-shown]')
  frame.hidden = false

  slider.addEventListener('input', () => {
    const minutes = Number(slider.value)
    time.value = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
    show()
  })
  for (const field of [date, time]) field.addEventListener('change', show)
  // The fields may have changed before this script loaded.
  if ([date, time].some((field) => field.value !== field.defaultValue)) show()

  function show() {
    if (!date.value || !time.value) return
    const [hours = 0, minutes = 0] = time.value.split(':').map(Number)
    if (document.activeElement !== slider) slider.value = String(hours * 60 + minutes)
    slider.setAttribute('aria-valuetext', time.value)
    const moment = { date: date.value, time: time.value }
    for (const part of document.querySelectorAll('[data-refresh]')) {
      if (!(part instanceof HTMLElement)) continue
      part.dataset.refresh = withMoment(part.dataset.refresh ?? '', moment)
      part.dispatchEvent(new Event('refresh'))
    }
    history.replaceState(null, '', withMoment(location.href, moment))
    if (words instanceof HTMLElement) words.hidden = true
    const back = box.querySelector('[data-now]')
    if (back instanceof HTMLElement) back.hidden = false
  }
}

/**
 * @param {string} address
 * @param {Record<string, string>} moment
 */
function withMoment(address, moment) {
  const url = new URL(address, location.href)
  for (const [name, value] of Object.entries(moment)) url.searchParams.set(name, value)
  return url.pathname + url.search
}

/** @param {number} number */
function two(number) {
  return String(number).padStart(2, '0')
}
