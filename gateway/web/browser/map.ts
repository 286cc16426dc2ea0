// Improves the map: the map can be zoomed and dragged, arrow keys move from cell to cell, and choosing a bookable
// shows its details beside it, with a form that books the bookable if it is free. Without this script, each
// cell links to a page with the details.
import { Combobox } from './shared/combobox.ts'
import {
  ARROW_DIRECTIONS,
  clamp,
  closestElement,
  fetchPagePart,
  hasNewTabModifier,
  hasShortcutModifier,
  makeSingleTabStop,
  type Point,
  withQuery,
} from './shared/dom.ts'
import { watchMap } from './shared/map-gestures.ts'
import type { MapView } from './shared/map-view.ts'
import { t } from './shared/translate.ts'

// The factor by which sideways distance counts more than distance ahead.
const SIDEWAYS_WEIGHT = 3

function moveWithArrows(main: HTMLElement, view: MapView | undefined) {
  const box = main.querySelector<HTMLElement>('.map-scroll')
  const slot = main.querySelector('[data-slot="cells"]')
  if (!box || !slot) return
  // Removes the Tab stop of the map's box, which lets keys scroll the map. With this script, the focused cell
  // is scrolled into view.
  box.removeAttribute('tabindex')
  const mark = makeSingleTabStop<SVGElement>(box, '[data-slot="cells"] .cell', ({ id }) => id)
  const update = () => {
    mark()
    const cells = slot.querySelector('.map-cells')
    if (cells) view?.align(cells)
  }
  new MutationObserver(update).observe(slot, { childList: true })

  box.addEventListener('keydown', (event) => {
    const cell = closestElement<SVGElement>(event, '.cell')
    if (!cell || hasShortcutModifier(event)) return
    const next = findNext(cell, [...slot.querySelectorAll<SVGElement>('.cell')], event.key)
    if (next === undefined) return
    event.preventDefault()
    next?.focus({ preventScroll: true })
    if (next) view?.reveal(next)
  })
  // With Tab, the focus may reach a cell that is outside of the box.
  box.addEventListener('focusin', (event) => {
    const cell = closestElement<SVGElement>(event, '.cell')
    if (cell?.matches(':focus-visible')) view?.reveal(cell)
  })
}

/**
 * Returns the next cell in the direction of the key. Returns undefined if the key does not move the focus, and null if
 * there is no cell in that direction.
 */
function findNext(from: SVGElement, cells: SVGElement[], key: string): SVGElement | null | undefined {
  if (key === 'Home') return cells[0]
  if (key === 'End') return cells.at(-1)
  const direction = ARROW_DIRECTIONS[key]
  if (!direction) return undefined
  const start = findCentre(from)
  let best = null
  let least = Number.POSITIVE_INFINITY
  for (const cell of cells) {
    const { x, y } = findCentre(cell)
    const [across, down] = [x - start.x, y - start.y]
    const ahead = across * direction[0] + down * direction[1]
    const aside = Math.abs(across * direction[1]) + Math.abs(down * direction[0])
    const far = ahead + aside * SIDEWAYS_WEIGHT
    if (ahead <= 0 || aside > ahead * SIDEWAYS_WEIGHT || far >= least) continue
    best = cell
    least = far
  }
  return best
}

function findCentre(cell: Element): Point {
  const [, x, y] = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(cell.getAttribute('transform') ?? '') ?? []
  return { x: Number(x), y: Number(y) }
}

/** Finds people while the user types a name. */
function offerPeople(box: HTMLElement) {
  const field = box.querySelector<HTMLInputElement>('[name="person"]')
  const user = box.querySelector<HTMLInputElement>('[name="user"]')
  const status = box.querySelector('[data-say]')
  if (!field || !user || !status) return
  new Combobox(field, {
    label: t`People`,
    announce: (sentence) => {
      status.textContent = sentence
    },
    find: (words) => fetchPagePart(withQuery(location.href, { _part: 'people', person: words })),
    choose({ dataset }) {
      field.value = dataset.name ?? ''
      user.value = dataset.user ?? ''
      field.form?.querySelector('button')?.focus()
    },
  })
  field.addEventListener('input', () => {
    user.value = ''
  })
}

/** Fills in the form that books the panel's bookable at the panel's time. Hides the form if the bookable is
 * not free at that time. */
function fillBookingForm(panel: HTMLElement) {
  const box = panel.querySelector<HTMLElement>('[data-book-form]')
  const form = box?.querySelector('form')
  if (!box || !form) return
  const link = panel.querySelector<HTMLElement>('[data-book]')
  box.hidden = !link
  if (!link) return
  const { book = '', from = '', to = '', span = '' } = link.dataset
  const values = { bookable: book, from_time: from, to_time: to }
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements.namedItem(name)
    if (field instanceof HTMLInputElement) field.value = value
  }
  const shown = box.querySelector('[data-span]')
  if (shown) shown.textContent = span
  // Removes the link to book, because the form has its own “Book” button.
  const buttons = link.closest<HTMLElement>('.buttons')
  const menu = buttons?.querySelector('.actions')
  form.querySelector('.actions')?.remove()
  if (menu) form.querySelector('.buttons')?.append(menu)
  buttons?.remove()
}

for (const box of document.querySelectorAll<HTMLElement>('[data-book-form]')) offerPeople(box)

const GAP_PX = 8

const map = document.querySelector<HTMLElement>('[data-map]')
const panel = document.getElementById('map-panel')
const main = document.querySelector<HTMLElement>('.map-main:has([data-view])')
if (main) {
  const view = watchMap(main)
  const marked = main.querySelector('[data-marked]')
  if (marked) view?.reveal(marked)
  moveWithArrows(main, view)
}
if (map && panel && 'showPopover' in panel) openPanels(map, panel)

function openPanels(map: HTMLElement, panel: HTMLElement) {
  let shown = ''
  let filled = ''
  let requestNumber = 0
  const findCell = () => map.querySelector<SVGElement>(`.cell[data-bookable="${shown}"]`)

  map.addEventListener('click', async (event) => {
    const cell = closestElement<SVGElement>(event, '.cell')
    if (!cell || hasNewTabModifier(event)) return
    event.preventDefault()
    shown = cell.dataset.bookable ?? ''
    // If the request fails, opens the page with the details.
    if (!(await fill())) return location.assign(cell.getAttribute('href') ?? '')
    // The popover closes by itself when the user clicks elsewhere.
    if (!panel.matches(':popover-open')) panel.showPopover()
    const present = findCell()
    if (present) place(present)
    const field = panel.querySelector<HTMLElement>('[data-book-form]:not([hidden]) [name="person"]')
    // Focuses the panel on a phone, where the keyboard for a field would cover the panel.
    const first = field && matchMedia('(pointer: fine)').matches ? field : panel
    first.focus({ preventScroll: true })
  })

  panel.addEventListener('toggle', ({ newState }) => {
    // If the map has been refreshed in the meantime, the element that had the focus before no longer exists.
    const isLost = document.activeElement === document.body || panel.contains(document.activeElement)
    if (newState === 'closed' && isLost) findCell()?.focus({ preventScroll: true })
  })

  const cells = map.querySelector('[data-slot="cells"]')
  if (cells)
    new MutationObserver(() => panel.matches(':popover-open') && fill()).observe(cells, { childList: true })

  /** Fetches the details into the panel. Returns false if the request fails. */
  async function fill(): Promise<boolean> {
    const request = ++requestNumber
    const address = withQuery(map.dataset.refresh ?? '', { _part: 'panel', bookable: shown })
    const text = await fetchPagePart(address)
    // The user has chosen another bookable in the meantime.
    if (request !== requestNumber) return true
    if (!text) return false
    const content = panel.querySelector('[data-content]') as HTMLElement
    if (text !== filled) {
      content.innerHTML = text
      filled = text
      fillBookingForm(panel)
    }
    panel.setAttribute('aria-label', content.querySelector('[data-name]')?.textContent ?? '')
    return true
  }

  /**
   * Places the panel below the cell, or above it if there is no room. On phones, the stylesheet places it at the
   * bottom.
   */
  function place(cell: Element) {
    const around = cell.getBoundingClientRect()
    const { width, height } = panel.getBoundingClientRect()
    const left = clamp(around.left + around.width / 2 - width / 2, GAP_PX, innerWidth - width - GAP_PX)
    const below = around.bottom + GAP_PX
    const top = below + height < innerHeight ? below : Math.max(GAP_PX, around.top - height - GAP_PX)
    panel.style.setProperty('--left', `${left}px`)
    panel.style.setProperty('--top', `${top}px`)
  }
}
