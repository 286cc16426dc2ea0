// @ts-check
// The map: choosing a bookable shows its details next to it. Without this script, its link leads to a page
// with the details.
import { makeOneStop } from './map-keys.js'
import { makeZoomable } from './map-view.js'

const map = document.querySelector('[data-map]')
const panel = document.getElementById('map-panel')
const main = map?.querySelector('.map-main')
if (main instanceof HTMLElement) {
  makeZoomable(main)
  makeOneStop(main)
}
if (map && panel && 'showPopover' in panel) watch(/** @type {HTMLElement} */ (map), panel)

/**
 * @param {HTMLElement} map
 * @param {HTMLElement} panel
 */
function watch(map, panel) {
  /** @type {string | undefined} */
  let shown
  let requestNumber = 0
  const marker = () => /** @type {SVGElement | null} */ (map.querySelector(`.cell[data-bookable="${shown}"]`))

  map.addEventListener('click', async (event) => {
    const cell = event.target instanceof Element ? event.target.closest('.cell') : null
    if (!cell || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    shown = cell.getAttribute('data-bookable') ?? ''
    // If the request fails, the link leads to the page.
    if (!(await fill())) return location.assign(cell.getAttribute('href') ?? '')
    // The popover closes itself when the user clicks elsewhere.
    if (!panel.matches(':popover-open')) panel.showPopover()
    const present = marker()
    if (present) place(present)
    panel.focus({ preventScroll: true })
  })

  panel.addEventListener('toggle', (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== 'closed') return
    // The map may have been refreshed, so that the browser has lost the element to return the focus to.
    if (document.activeElement === document.body || panel.contains(document.activeElement)) {
      marker()?.focus({ preventScroll: true })
    }
  })

  const cells = map.querySelector('[data-slot="cells"]')
  if (cells)
    new MutationObserver(() => panel.matches(':popover-open') && fill()).observe(cells, { childList: true })

  /** Fetches the details as the page shows them. False if that fails. */
  async function fill() {
    const request = ++requestNumber
    const address = new URL(map.dataset.refresh ?? '', location.href)
    address.searchParams.set('_part', 'panel')
    address.searchParams.set('bookable', shown ?? '')
    const answer = await fetch(address, { redirect: 'error' }).catch(() => undefined)
    const text = answer?.ok ? await answer.text() : ''
    // Another bookable was chosen meanwhile.
    if (request !== requestNumber) return true
    if (text === '') return false
    const content = /** @type {HTMLElement} */ (panel.querySelector('[data-content]'))
    if (content.innerHTML !== text) content.innerHTML = text
    panel.setAttribute('aria-label', content.querySelector('[data-name]')?.textContent ?? '')
    return true
  }

  /**
   * Below the cell, or above it if there is no room. On phones the style places the panel at the lower edge.
   * @param {Element} cell
   */
  function place(cell) {
    const around = cell.getBoundingClientRect()
    const { width, height } = panel.getBoundingClientRect()
    const left = Math.min(Math.max(8, around.left + around.width / 2 - width / 2), innerWidth - width - 8)
    const below = around.bottom + 8
    const top = below + height < innerHeight ? below : Math.max(8, around.top - height - 8)
    panel.style.setProperty('--left', `${left}px`)
    panel.style.setProperty('--top', `${top}px`)
  }
}
