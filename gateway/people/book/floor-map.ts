// The floor as a map: a press on what is free leads to the page that books it.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { shorten } from '../../api/livemap/fit-text.ts'
import { floorPlanPicture } from '../../dashboard/locations/floor-plans.ts'
import { layoutOf, showCanvas, showCells } from '../../dashboard/map/canvas.ts'
import { findFloorPlanFacts } from '../../dashboard/places/location-pages.ts'
import type { Html } from '../../http/html.ts'
import type { Call } from '../../pages/kit/page.ts'
import { t } from '../../pages/locales/translate.ts'
import { seatAddress } from './seat-list.ts'
import { listFreeSeats, listPlaced, MAP_MAX, type Sitting } from './seats.ts'
import type { Wanted } from './wanted.ts'

const { flexible, blocked } = BOOKABLE_STATUSES

export async function showFloorMap(
  call: Call,
  { floor, type, time }: Wanted,
  sitting: Sitting[],
): Promise<Html> {
  const location = floor.locationId
  const [placed, free, facts] = await Promise.all([
    listPlaced(call, { location, type }),
    listFreeSeats(call, { location, type }, time, MAP_MAX),
    findFloorPlanFacts(call.reads, location),
  ])
  const freeIds = new Set(free.map(({ id }) => id))
  const holders = new Map(sitting.map(({ seatId, who }) => [seatId, who ?? t`Someone`]))
  const seats = placed.map((each) => ({
    ...each,
    occupied: holders.has(each.id),
    status: freeIds.has(each.id) ? flexible : blocked,
  }))
  const layout = layoutOf(facts && floorPlanPicture(call, location, facts), seats)
  const words = ({ id }: { id: number }) => (freeIds.has(id) ? t`free` : (holders.get(id) ?? t`not for you`))
  const cells = showCells(layout, seats, {
    marked: undefined,
    label: floor.location,
    describe: words,
    format: (each) => shorten(words(each), 120, 12),
    addressOf: ({ id }) => (freeIds.has(id) ? seatAddress(call, id, time) : undefined),
  })
  return showCanvas(layout, floor.location, cells)
}
