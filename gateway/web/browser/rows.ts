// Rows of a form: adds one, removes one, and copies Monday's opening hours to the other working days. Without this
// script a form has some empty rows.
import { closest } from './shared/dom.ts'

const BUTTONS = '[data-add-row], [data-remove-row], [data-copy-monday]'
const LAST_WORKING_DAY = 5

for (const button of document.querySelectorAll<HTMLElement>(BUTTONS)) button.hidden = false

document.addEventListener('click', (event) => {
  const button = closest(event, BUTTONS)
  const table = button?.closest('.field')?.querySelector('table')
  if (!button || !table) return
  if (button.hasAttribute('data-add-row')) addRow(table)
  else if (button.hasAttribute('data-remove-row')) removeRow(button)
  else copyMonday(table)
})

const inputsOf = (row: Element | undefined) => [...(row?.querySelectorAll('input') ?? [])]

function addRow(table: HTMLTableElement) {
  const [body] = table.tBodies
  const row = body?.rows[0]?.cloneNode(true) as HTMLTableRowElement | undefined
  if (!body || !row) return
  for (const input of inputsOf(row)) clear(input)
  body.append(row)
  inputsOf(row)[0]?.focus()
}

// The last row stays, to be copied.
function removeRow(button: Element) {
  const row = button.closest('tr')
  if (!row) return
  const next = row.nextElementSibling ?? row.previousElementSibling
  for (const input of inputsOf(row)) clear(input)
  if (next) row.remove()
  inputsOf(next ?? row)[0]?.focus()
}

function clear(input: HTMLInputElement) {
  input.value = ''
  input.removeAttribute('value')
}

// If no row has times, no day is closed: the hours of the place above apply.
function markClosedDays(table: HTMLTableElement) {
  const isOpen = (row: Element) => inputsOf(row).some(({ value }) => value !== '')
  const rows = [...(table.tBodies[0]?.rows ?? [])]
  for (const row of rows) {
    const mark = row.querySelector<HTMLElement>('[data-closed]')
    if (mark) mark.hidden = isOpen(row) || !rows.some(isOpen)
  }
}

document.addEventListener('input', (event) => {
  const table = closest<HTMLTableElement>(event, '[data-hours]')
  if (table) markClosedDays(table)
})

function copyMonday(table: HTMLTableElement) {
  const [monday, ...others] = [...(table.tBodies[0]?.rows ?? [])].map(inputsOf)
  for (const day of others.slice(0, LAST_WORKING_DAY - 1)) {
    for (const [index, input] of day.entries()) input.value = monday?.[index]?.value ?? ''
  }
  markClosedDays(table)
}
