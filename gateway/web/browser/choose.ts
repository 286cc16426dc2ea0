// Improves lists: labels checkboxes and links by their row, and shows the whole text of a truncated cell when
// the pointer is over it. Shift selects all entries between two checkboxes, the button shows how many entries
// are selected, and actions that need two entries are offered only for two.
import { closestElement } from './shared/dom.ts'
import { plural } from './shared/translate.ts'

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-choose]')) improveList(form)

for (const tool of document.querySelectorAll('.listed .tools > :is(a:not([aria-label]), input)')) {
  const row = tool.closest('tr')
  const heading = row?.querySelector<HTMLElement>('th a') ?? row?.querySelector('th')
  const name = heading && readText(heading)
  tool.setAttribute('aria-label', `${tool.getAttribute('aria-label') ?? tool.textContent}: ${name}`)
}

document.addEventListener('pointerover', (event) => {
  const cell = closestElement(event, '.listed tbody :is(th, td)')
  // Beside an avatar, the name is cut off, and not the cell.
  const shown = [cell, cell?.querySelector('.person > :last-child')]
  if (cell && shown.some((each) => each && each.scrollWidth > each.clientWidth)) cell.title = readText(cell)
})

/** Returns the text of an element without the initials of an avatar. */
function readText(element: HTMLElement): string {
  const copy = element.cloneNode(true) as HTMLElement
  for (const hidden of copy.querySelectorAll('[aria-hidden="true"]')) hidden.remove()
  return copy.textContent?.trim() ?? ''
}

function improveList(form: HTMLFormElement) {
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
  // Without this, Shift would also select the text in between.
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
  // When the browser shows a page from its back/forward cache, it restores the checkboxes.
  addEventListener('pageshow', showNumber)
}
