// Choosing several entries of a list: Shift chooses all from the last box to this one, the button shows the number
// chosen, and what needs two of them is offered for two.
import { plural } from './translate.ts'

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-choose]')) begin(form)

function begin(form: HTMLFormElement) {
  const boxes = [...form.querySelectorAll<HTMLInputElement>('input[name="ids"]')]
  const all = form.querySelector<HTMLInputElement>('input[name="all"]')
  const button = form.querySelector('button')
  const ofPair = form.querySelector<HTMLButtonElement>('button[data-pair]')
  const label = button?.textContent ?? ''
  let last = -1

  const describe = (number: number) =>
    form.dataset.choose === 'cancel'
      ? plural(number, 'Cancel # selected', 'Cancel # selected')
      : plural(number, 'Change # selected', 'Change # selected')

  const showNumber = () => {
    const number = all?.checked ? 0 : boxes.filter((box) => box.checked).length
    if (button) button.textContent = number === 0 ? label : describe(number)
    if (ofPair) ofPair.hidden = number !== 2
  }
  // Shift would otherwise also select the text in between.
  form.addEventListener('mousedown', (event) => {
    if (event.shiftKey && boxes.some((box) => box === event.target)) event.preventDefault()
  })
  form.addEventListener('click', ({ shiftKey, target }) => {
    const index = boxes.indexOf(target as HTMLInputElement)
    const isChecked = boxes[index]?.checked
    if (isChecked === undefined) return
    if (shiftKey && last >= 0) {
      const range = boxes.slice(Math.min(last, index), Math.max(last, index) + 1)
      for (const box of range) box.checked = isChecked
    }
    last = index
  })
  form.addEventListener('change', showNumber)
  // The browser restores the boxes of a page from its back/forward cache.
  addEventListener('pageshow', showNumber)
}
