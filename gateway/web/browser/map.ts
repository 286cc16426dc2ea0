// The map: it zooms and scrolls, arrow keys move from cell to cell, and choosing a bookable shows its details
// next to it, with a form that books it if it is free. Without this script, its link leads to a page with the details.
import { Combobox } from './shared/combobox.ts'
import {
  ARROWS,
  clamp,
  closest,
  fetchPart,
  isShortcut,
  makeOneStop,
  opensElsewhere,
  type Point,
  withQuery,
} from './shared/dom.ts'
import { watchDrags } from './shared/drags.ts'
import { t } from './shared/translate.ts'
import { makeZoomable } from './shared/zoom.ts'

// The distance to the side counts as further.
const SIDEWAYS_WEIGHT = 3

function moveWithArrows(main: HTMLElement) {
  const box = main.querySelector<HTMLElement>('.map-scroll')
  const slot = main.querySelector('[data-slot="cells"]')
  if (!box || !slot) return
  // The box was focusable to scroll it with keys. Now the focused cell is scrolled into view.
  box.removeAttribute('tabindex')
  const mark = makeOneStop<SVGElement>(box, '[data-slot="cells"] .cell', ({ id }) => id)
  new MutationObserver(mark).observe(slot, { childList: true })

  box.addEventListener('keydown', (event) => {
    const cell = closest<SVGElement>(event, '.cell')
    if (!cell || isShortcut(event)) return
    const next = findNext(cell, [...slot.querySelectorAll<SVGElement>('.cell')], event.key)
    if (next === undefined) return
    event.preventDefault()
    next?.focus({ preventScroll: true })
    next?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
}

/** Undefined if the key does not move the focus, null if there is no cell in its direction. */
function findNext(from: SVGElement, cells: SVGElement[], key: string): SVGElement | null | undefined {
  if (key === 'Home') return cells[0]
  if (key === 'End') return cells.at(-1)
  const direction = ARROWS[key]
  if (!direction) return undefined
  const start = pointOf(from)
  let best = null
  let least = Number.POSITIVE_INFINITY
  for (const cell of cells) {
    const { x, y } = pointOf(cell)
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

function pointOf(cell: Element): Point {
  const [, x, y] = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(cell.getAttribute('transform') ?? '') ?? []
  return { x: Number(x), y: Number(y) }
}

/** The mouse drags the map. */
function watchMouse(box: HTMLElement) {
  watchDrags(box, (start) => {
    if (start.pointerType !== 'mouse') return undefined
    const { scrollLeft, scrollTop } = box
    return {
      move({ clientX, clientY }) {
        box.classList.add('held')
        box.scrollLeft = scrollLeft + start.clientX - clientX
        box.scrollTop = scrollTop + start.clientY - clientY
      },
      end: () => box.classList.remove('held'),
    }
  })
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
    find: (words) => fetchPart(withQuery(location.href, { _part: 'people', person: words })),
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

/** The form books what the panel shows, for the time that it names; it is hidden if that is not free. */
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
  // The form has a button “Book” itself; the menu stands beside it.
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
const main = map?.querySelector<HTMLElement>('.map-main')
if (main) {
  const view = makeZoomable(main)
  const box = main.querySelector<HTMLElement>('.map-scroll')
  if (box) watchMouse(box)
  const marked = main.querySelector('[data-marked]')
  // On a phone, and with hundreds of desks, the whole floor would be too small to read.
  const fits = matchMedia('(min-width: 46.01rem)').matches && !main.querySelector('.packed, .dense')
  if (fits && !marked) view?.zoom('whole')
  marked?.scrollIntoView({ block: 'nearest', inline: 'center' })
  moveWithArrows(main)
}
if (map && panel && 'showPopover' in panel) watch(map, panel)

function watch(map: HTMLElement, panel: HTMLElement) {
  let shown = ''
  let filled = ''
  let requestNumber = 0
  const findCell = () => map.querySelector<SVGElement>(`.cell[data-bookable="${shown}"]`)

  map.addEventListener('click', async (event) => {
    const cell = closest<SVGElement>(event, '.cell')
    if (!cell || opensElsewhere(event)) return
    event.preventDefault()
    shown = cell.dataset.bookable ?? ''
    // If the request fails, the link leads to the page.
    if (!(await fill())) return location.assign(cell.getAttribute('href') ?? '')
    // The popover closes itself when the user clicks elsewhere.
    if (!panel.matches(':popover-open')) panel.showPopover()
    const present = findCell()
    if (present) place(present)
    const field = panel.querySelector<HTMLElement>('[data-book-form]:not([hidden]) [name="person"]')
    // The keyboard of a phone would cover the panel.
    const first = field && matchMedia('(pointer: fine)').matches ? field : panel
    first.focus({ preventScroll: true })
  })

  panel.addEventListener('toggle', ({ newState }) => {
    // The map may have been refreshed, so that the browser has lost the element to return the focus to.
    const isLost = document.activeElement === document.body || panel.contains(document.activeElement)
    if (newState === 'closed' && isLost) findCell()?.focus({ preventScroll: true })
  })

  const cells = map.querySelector('[data-slot="cells"]')
  if (cells)
    new MutationObserver(() => panel.matches(':popover-open') && fill()).observe(cells, { childList: true })

  /** Fetches the details as the page shows them. False if that fails. */
  async function fill(): Promise<boolean> {
    const request = ++requestNumber
    const address = withQuery(map.dataset.refresh ?? '', { _part: 'panel', bookable: shown })
    const text = await fetchPart(address)
    // Another bookable was chosen meanwhile.
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

  /** Below the cell, or above it if there is no room. On phones the style places the panel at the lower edge. */
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
