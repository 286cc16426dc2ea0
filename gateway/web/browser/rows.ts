// Adds and removes rows of a form, and copies Monday's opening hours to the other working days. Without this
// script, the form has some empty rows.
import { closestElement } from './shared/dom.ts'

const BUTTONS_SELECTOR = '[data-add-row], [data-remove-row], [data-copy-monday]'
const LAST_WORKING_DAY = 5

for (const button of document.querySelectorAll<HTMLElement>(BUTTONS_SELECTOR)) button.hidden = false

document.addEventListener('click', (event) => {
  const button = closestElement(event, BUTTONS_SELECTOR)
  const table = button?.closest('.field')?.querySelector('table')
  if (!button || !table) return
  if (button.hasAttribute('data-add-row')) addRow(table)
  else if (button.hasAttribute('data-remove-row')) removeRow(button)
  else copyMonday(table)
})

const listInputs = (row: Element | undefined) => [...(row?.querySelectorAll('input') ?? [])]

function addRow(table: HTMLTableElement) {
  const [body] = table.tBodies
  const row = body?.rows[0]?.cloneNode(true) as HTMLTableRowElement | undefined
  if (!body || !row) return
  for (const input of listInputs(row)) resetInput(input)
  body.append(row)
  listInputs(row)[0]?.focus()
}

// Removes a row. The last row stays, because new rows are copies of it.
function removeRow(button: Element) {
  const row = button.closest('tr')
  if (!row) return
  const next = row.nextElementSibling ?? row.previousElementSibling
  for (const input of listInputs(row)) resetInput(input)
  if (next) row.remove()
  listInputs(next ?? row)[0]?.focus()
}

function resetInput(input: HTMLInputElement) {
  input.value = ''
  input.removeAttribute('value')
}

// Marks the days that are closed. If no row has times, no day is closed, because the opening hours of the
// enclosing floor or building apply.
function markClosedDays(table: HTMLTableElement) {
  const isOpen = (row: Element) => listInputs(row).some(({ value }) => value !== '')
  const rows = [...(table.tBodies[0]?.rows ?? [])]
  for (const row of rows) {
    const mark = row.querySelector<HTMLElement>('[data-closed]')
    if (mark) mark.hidden = isOpen(row) || !rows.some(isOpen)
  }
}

document.addEventListener('input', (event) => {
  const table = closestElement<HTMLTableElement>(event, '[data-hours]')
  if (table) markClosedDays(table)
})

function copyMonday(table: HTMLTableElement) {
  const [monday, ...others] = [...(table.tBodies[0]?.rows ?? [])].map(listInputs)
  for (const day of others.slice(0, LAST_WORKING_DAY - 1)) {
    for (const [index, input] of day.entries()) input.value = monday?.[index]?.value ?? ''
  }
  markClosedDays(table)
}
