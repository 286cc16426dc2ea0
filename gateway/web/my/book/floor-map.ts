// Shows the floor as a map. Pressing a place opens the page that books it, or that says who has it.
import { type Content, type Html, html } from '../../../html/html.ts'
import type { FloorPlanFacts } from '../../../reads/map/floor-plans.ts'
import { plural, t } from '../../locales/translate.ts'
import { createMapLayout, showZoomableMap } from '../../pages/map/canvas.ts'
import { type CellState, type MapCell, showMapCells, showMapLegend } from '../../pages/map/cells.ts'
import { createFloorPlanPicture } from '../../pages/map/floor-plan-pictures.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatInitials } from '../../pages/ui/avatars.ts'
import { formatSeatPath } from './seat-list.ts'
import type { OccupiedSeat, Seat, SeatPosition } from './seats.ts'
import { isMeetingRoomType, type WantedPlace } from './wanted.ts'

/** Returns the address of the page that joins the waitlist of one place, or of any place of a type on a floor. */
export const formatJoinWaitlistAddress = (call: Call, query: Record<string, string | number>) =>
  call.link('/waits/new', query)

type ShownSeats = {
  free: Seat[]
  sitting: OccupiedSeat[]
  /** The id of the place that the map shows first. */
  marked: number | undefined
  placed: SeatPosition[]
  plan: FloorPlanFacts | undefined
  /** What is shown on the map, at its lower edge. */
  above: Content
}

export function showFloorMap(
  call: Call,
  { floor, time }: WantedPlace,
  { free, sitting, marked, placed, plan, above }: ShownSeats,
): Html {
  const location = floor.locationId
  const own = call.requirePerson().id
  const freeSeats = new Map(free.map((seat) => [seat.id, seat]))
  const holders = new Map(sitting.map((holder) => [holder.seatId, holder]))
  const cells = placed.map((position): MapCell => {
    const [seat, holder] = [freeSeats.get(position.id), holders.get(position.id)]
    const isOpen = seat !== undefined || (holder !== undefined && !holder.isAssigned)
    return {
      ...position,
      ...(seat ? describeFree(seat) : describeTaken(holder, own)),
      address: isOpen ? formatSeatPath(call, position.id, time) : undefined,
    }
  })
  const layout = createMapLayout(plan && createFloorPlanPicture(call, location, plan), placed)
  const label = floor.location
  const drawn = html`<div data-slot="cells">${showMapCells(layout, cells, { label, marked, opensSheet: true })}</div>`
  return html`<div class="map-main" data-book-map><div class="my-map">${showZoomableMap(layout, { label, above: drawn, bookables: placed })}${above}</div>${showMapLegend(t`Legend`, listWords(cells))}</div>`
}

type CellWords = Pick<MapCell, 'state' | 'description' | 'line' | 'initials' | 'holderId'>

function describeFree({ tags, capacity, type, isLent, needsApproval }: Seat): CellWords {
  const seats = isMeetingRoomType(type) && capacity !== null && plural(capacity, '# seat', '# seats')
  const about = [seats, ...tags, isLent && t`lent`, needsApproval && t`on request`].filter(
    (each) => each !== false,
  )
  const free = t`free`
  return { state: 'free', description: [free, ...about].join(', '), line: about.join(', ') || free }
}

function describeTaken(holder: OccupiedSeat | undefined, own: number): CellWords {
  if (!holder) return { state: 'blocked', description: t`not available`, line: t`not available` }
  const { who, userId, isAssigned, isFavouriteOrInGroup } = holder
  const line = userId === own ? t`you` : (who ?? t`Someone`)
  if (isAssigned) return { state: 'blocked', description: `${line}, ${t`own desk`}`, line }
  const state = userId === own ? 'mine' : isFavouriteOrInGroup ? 'people' : 'occupied'
  return {
    state,
    description: line,
    line,
    ...(who !== null && { initials: formatInitials(who), holderId: userId }),
  }
}

/** Returns the words of the states that the map shows. */
function listWords(cells: MapCell[]): Partial<Record<CellState, string>> {
  const words = {
    free: t`free`,
    mine: t`mine`,
    people: t`my people`,
    occupied: t`taken`,
    blocked: t`not available`,
  }
  const shown = new Set<string>(cells.map(({ state }) => state))
  return Object.fromEntries(Object.entries(words).filter(([state]) => shown.has(state)))
}
