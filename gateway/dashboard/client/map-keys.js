// @ts-check
// Makes the cells of a map one stop of the Tab key: arrow keys move to the next cell in their direction.

/** @type {Record<string, [across: number, down: number]>} */
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
// The distance to the side counts as further.
const SIDEWAYS_WEIGHT = 3

/** @param {HTMLElement} main */
export function makeOneStop(main) {
  const box = main.querySelector('.map-scroll')
  const slot = main.querySelector('[data-slot="cells"]')
  if (!box || !slot) return
  /** @type {string | null | undefined} */
  let current
  // The box was focusable to scroll it with keys. Now the focused cell is scrolled into view.
  box.removeAttribute('tabindex')
  mark()
  new MutationObserver(mark).observe(slot, { childList: true })

  box.addEventListener('focusin', (event) => {
    const cell = event.target instanceof Element && event.target.closest('.cell')
    if (!cell || cell.id === current) return
    current = cell.id
    mark()
  })
  box.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent) || event.ctrlKey || event.metaKey || event.altKey) return
    const cell = event.target instanceof Element && event.target.closest('.cell')
    if (!cell) return
    const next = findNext(cell, event.key)
    if (next === undefined) return
    event.preventDefault()
    if (!(next instanceof SVGElement)) return
    next.focus({ preventScroll: true })
    next.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })

  function listCells() {
    return [...(slot?.querySelectorAll('.cell') ?? [])]
  }

  function mark() {
    const cells = listCells()
    const stop =
      cells.find(({ id }) => id === current) ??
      cells.find((cell) => cell.hasAttribute('data-marked')) ??
      cells[0]
    for (const cell of cells) cell.setAttribute('tabindex', cell === stop ? '0' : '-1')
  }

  /**
   * Undefined if the key does not move the focus, null if there is no cell in its direction.
   * @param {Element} from
   * @param {string} key
   */
  function findNext(from, key) {
    const cells = listCells()
    if (key === 'Home') return cells[0]
    if (key === 'End') return cells.at(-1)
    const direction = DIRECTIONS[key]
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
}

/** @param {Element} cell */
function pointOf(cell) {
  const [, x, y] = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(cell.getAttribute('transform') ?? '') ?? []
  return { x: Number(x), y: Number(y) }
}
