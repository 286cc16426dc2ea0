// @ts-check
// Choosing several entries of a list: Shift chooses all from the last box to this one, and the button shows
// the number chosen.
import { plural } from './translate.js'

for (const form of document.querySelectorAll('form[data-choose]')) begin(form)

/** @param {Element} form */
function begin(form) {
  const boxes = [...form.querySelectorAll('input[name="ids"]')].filter(
    (each) => each instanceof HTMLInputElement,
  )
  const all = form.querySelector('input[name="all"]')
  const button = form.querySelector('button')
  const label = button?.textContent ?? ''
  let last = -1

  const showNumber = () => {
    const number = boxes.filter((box) => box.checked).length
    const isAll = all instanceof HTMLInputElement && all.checked
    if (button)
      button.textContent =
        number === 0 || isAll ? label : plural(number, 'Change # selected', 'Change # selected')
  }
  // Shift would otherwise also select the text in between.
  form.addEventListener('mousedown', (event) => {
    const { shiftKey, target } = /** @type {MouseEvent} */ (event)
    if (shiftKey && boxes.some((box) => box === target)) event.preventDefault()
  })
  form.addEventListener('click', (event) => {
    const { shiftKey, target } = /** @type {MouseEvent} */ (event)
    const box = boxes.find((each) => each === target)
    if (!box) return
    const index = boxes.indexOf(box)
    if (shiftKey && last >= 0) {
      const [from, to] = [Math.min(last, index), Math.max(last, index)]
      for (const each of boxes.slice(from, to + 1)) each.checked = box.checked
    }
    last = index
  })
  form.addEventListener('change', showNumber)
  // The browser restores the boxes of a page from its back/forward cache.
  addEventListener('pageshow', showNumber)
}
