// @ts-check
// The map: a bookable that is chosen tells about itself beside it. Without this its link leads to a page that does.
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
  let asked = 0
  const marker = () => /** @type {SVGElement | null} */ (map.querySelector(`.cell[data-bookable="${shown}"]`))

  map.addEventListener('click', async (event) => {
    const cell = event.target instanceof Element ? event.target.closest('.cell') : null
    if (!cell || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    shown = cell.getAttribute('data-bookable') ?? ''
    // Where it cannot be asked for, the link leads to the page that shows it.
    if (!(await fill())) return location.assign(cell.getAttribute('href') ?? '')
    // It closes by itself when something else is touched.
    if (!panel.matches(':popover-open')) panel.showPopover()
    const present = marker()
    if (present) place(present)
    panel.focus({ preventScroll: true })
  })

  panel.addEventListener('toggle', (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== 'closed') return
    // The map may have been renewed: the browser no longer knows where the focus was.
    if (document.activeElement === document.body || panel.contains(document.activeElement)) {
      marker()?.focus({ preventScroll: true })
    }
  })

  const cells = map.querySelector('[data-slot="cells"]')
  if (cells)
    new MutationObserver(() => panel.matches(':popover-open') && fill()).observe(cells, { childList: true })

  /** What the page would say of it; false where that is not known. */
  async function fill() {
    const own = ++asked
    const address = new URL(map.dataset.refresh ?? '', location.href)
    address.searchParams.set('_part', 'panel')
    address.searchParams.set('bookable', shown ?? '')
    const answer = await fetch(address, { redirect: 'error' }).catch(() => undefined)
    const text = answer?.ok ? await answer.text() : ''
    // Another one was chosen meanwhile.
    if (own !== asked) return true
    if (text === '') return false
    const content = /** @type {HTMLElement} */ (panel.querySelector('[data-content]'))
    if (content.innerHTML !== text) content.innerHTML = text
    panel.setAttribute('aria-label', content.querySelector('[data-name]')?.textContent ?? '')
    return true
  }

  /**
   * Below it, or above where there is no room; on a phone the style puts it at the lower edge.
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
