// The map: choosing a bookable shows its details next to it. Without this script, its link leads to a page
// with the details.
import { clamp, closest, fetchPart, opensElsewhere, withQuery } from './dom.ts'
import { moveWithArrows } from './map-keys.ts'
import { makeZoomable } from './map-view.ts'

const GAP_PX = 8

const map = document.querySelector<HTMLElement>('[data-map]')
const panel = document.getElementById('map-panel')
const main = map?.querySelector<HTMLElement>('.map-main')
if (main) {
  makeZoomable(main)
  moveWithArrows(main)
}
if (map && panel && 'showPopover' in panel) watch(map, panel)

function watch(map: HTMLElement, panel: HTMLElement) {
  let shown = ''
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
    panel.focus({ preventScroll: true })
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
    if (content.innerHTML !== text) content.innerHTML = text
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
