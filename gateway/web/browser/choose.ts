// Lists: boxes and links are labelled by their row, and the pointer gets the whole text of a cell that is cut. Of several chosen entries, Shift chooses all from the last box
// to this one, the button shows the number, and what needs two of them is offered for two.
import { closest } from './shared/dom.ts'
import { plural } from './shared/translate.ts'

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-choose]')) begin(form)

for (const tool of document.querySelectorAll('.listed .tools > :is(a:not([aria-label]), input)')) {
  const row = tool.closest('tr')
  const name = (row?.querySelector('th > a') ?? row?.querySelector('th'))?.textContent
  tool.setAttribute('aria-label', `${tool.getAttribute('aria-label') ?? tool.textContent}: ${name}`)
}

document.addEventListener('pointerover', (event) => {
  const cell = closest(event, '.listed tbody :is(th, td)')
  if (cell && cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent ?? ''
})

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
