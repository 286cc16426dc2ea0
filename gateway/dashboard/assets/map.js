// @ts-check
// The map: a bookable that is chosen tells about itself beside it; without this its link leads to its entry in the list.

const map = document.querySelector('[data-map]')
const panel = document.getElementById('map-panel')
if (map && panel && 'showPopover' in panel) watch(/** @type {HTMLElement} */ (map), panel)

/**
 * @param {HTMLElement} map
 * @param {HTMLElement} panel
 */
function watch(map, panel) {
  /** @type {string | undefined} */
  let shown
  const marker = () => /** @type {SVGElement | null} */ (map.querySelector(`.cell[data-bookable="${shown}"]`))

  map.addEventListener('click', (event) => {
    const cell = event.target instanceof Element ? event.target.closest('.cell') : null
    if (!cell || event.ctrlKey || event.metaKey || event.shiftKey) return
    shown = cell.getAttribute('data-bookable') ?? ''
    if (!fill()) return
    event.preventDefault()
    // It closes by itself when something else is touched.
    if (!panel.matches(':popover-open')) panel.showPopover()
    place(cell)
    panel.focus({ preventScroll: true })
  })

  panel.addEventListener('toggle', (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== 'closed') return
    // The map may have been renewed: the browser no longer knows where the focus was.
    if (document.activeElement === document.body || panel.contains(document.activeElement)) {
      /** @type {SVGElement | null} */
      marker()?.focus({ preventScroll: true })
    }
  })

  const list = map.querySelector('.map-list')
  if (list)
    new MutationObserver(() => panel.matches(':popover-open') && fill()).observe(list, {
      childList: true,
      subtree: true,
    })

  /** Takes over what the list says. */
  function fill() {
    const entry = document.getElementById(`bookable-${shown}`)
    if (!entry) return false
    panel.setAttribute('aria-label', entry.dataset.name ?? '')
    const content = /** @type {HTMLElement} */ (panel.querySelector('[data-content]'))
    if (content.innerHTML !== entry.innerHTML) content.innerHTML = entry.innerHTML
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
