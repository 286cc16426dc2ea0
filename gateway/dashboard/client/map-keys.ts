// Makes the cells of a map one stop of the Tab key: arrow keys move to the next cell in their direction.
import { ARROWS, closest, isShortcut, makeOneStop, type Point } from './dom.ts'

// The distance to the side counts as further.
const SIDEWAYS_WEIGHT = 3

export function moveWithArrows(main: HTMLElement) {
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
