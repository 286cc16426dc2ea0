// The form that places desks on the rectangles of an SVG floor plan. It previews the positions, and places the desks in
// one step that can be undone. The form appears only if the floor plan has rectangles, and the editor loads this script
// only for floor plans that may have some.
import '../every-script.ts'
import { createSvg, type Point, setAttributes } from '../shared/dom.ts'
import { plural, t } from '../shared/translate.ts'
import type { Cell, CellMove, CellSize, FloorPlan } from './floor-plan.ts'
import { findPlanRectangles, groupBySize, type PlanRectangle, sortForReading } from './plan-rectangles.ts'

const GROUPS_MAX = 8

type DeskMove = CellMove & { to: Point & { rotation: number; size: CellSize } }

/** Returns a function that updates the preview. `svg` is the text of the floor plan. */
export function watchRectangles(
  card: HTMLDetailsElement,
  { floorPlan, cells, svg }: { floorPlan: FloorPlan; cells: Cell[]; svg: string },
  place: (moves: CellMove[]) => void,
): () => void {
  // The groups have rectangles of the same size, each in reading order.
  const groups = groupBySize(findPlanRectangles(svg)).slice(0, GROUPS_MAX).map(sortForReading)
  const desks = cells.filter(({ element }) => element.hasAttribute('data-desk'))
  if (groups.length === 0 || desks.length === 0) return () => {}
  const [select, which, button, status] = [
    card.querySelector('[name="size"]') as HTMLSelectElement,
    card.querySelector('[name="of"]') as HTMLSelectElement,
    card.querySelector('button') as HTMLButtonElement,
    card.querySelector('[role="status"]') as HTMLElement,
  ]
  const preview = createSvg('g')
  preview.classList.add('preview')
  preview.setAttribute('aria-hidden', 'true')
  floorPlan.element.append(preview)
  select.replaceChildren(...groups.map((group, index) => createOption(group, index, floorPlan)))
  // Preselects the group with as many rectangles as there are desks, because these are probably the desks.
  const distance = (group: PlanRectangle[]) => Math.abs(group.length - desks.length)
  const likely = groups.reduce((best, group) => (distance(group) < distance(best) ? group : best))
  select.value = String(groups.indexOf(likely))

  const plan = () => {
    const group = groups[Number(select.value)] ?? []
    const chosen = sortByName(which.value === 'waiting' ? desks.filter(({ shown }) => !shown) : desks)
    return group.flatMap(({ x, y, width, height, rotation }, index): DeskMove[] => {
      const cell = chosen[index]
      return cell ? [{ cell, to: { x, y, rotation, size: { width, height } } }] : []
    })
  }
  const refresh = () => {
    const moves = card.open ? plan() : []
    preview.replaceChildren(...moves.map(({ to }) => createOutline(floorPlan, to)))
    const first = moves[0]?.cell.name ?? ''
    status.textContent =
      moves.length === 0
        ? t`Nothing to place yet.`
        : plural(moves.length, 'Preview: # desk, from {0}.', 'Preview: # desks, from {0}.', first)
  }
  for (const each of [select, which]) each.addEventListener('change', refresh)
  card.addEventListener('toggle', refresh)
  button.addEventListener('click', () => {
    const moves = plan()
    if (moves.length === 0) return refresh()
    card.open = false
    place(moves)
  })
  card.hidden = false
  // If every desk is on the plan, only all of them can be placed.
  if (desks.every(({ shown }) => shown)) which.value = 'all'
  // If the plan seems to show every desk, this is less work than any other way, so the form is open from the start.
  card.open = likely.length === desks.length && desks.every(({ shown }) => !shown)
  return refresh
}

function createOption(group: PlanRectangle[], index: number, floorPlan: FloorPlan): HTMLOptionElement {
  const option = document.createElement('option')
  const [first] = group
  const size = first
    ? `${Math.round(first.width * 1_000) / 10} × ${Math.round((first.height * floorPlan.height * 1_000) / floorPlan.width) / 10} %`
    : ''
  option.value = String(index)
  option.textContent = plural(group.length, '# rectangle, {0}', '# rectangles, {0}', size)
  return option
}

const sortByName = (cells: Cell[]): Cell[] => {
  const { compare } = new Intl.Collator(document.documentElement.lang, { numeric: true })
  return [...cells].sort((one, other) => compare(one.name, other.name))
}

function createOutline(floorPlan: FloorPlan, { x, y, rotation, size: own }: DeskMove['to']): SVGRectElement {
  const [middle, size] = [floorPlan.pointAt({ x, y }), floorPlan.pointAt({ x: own.width, y: own.height })]
  const drawn = createSvg('rect')
  setAttributes(drawn, { x: middle.x - size.x / 2, y: middle.y - size.y / 2, width: size.x, height: size.y })
  drawn.setAttribute('transform', `rotate(${rotation} ${middle.x} ${middle.y})`)
  return drawn
}
