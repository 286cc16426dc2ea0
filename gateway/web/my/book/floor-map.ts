// The floor as a map: a press on what is free leads to the page that books it, and on what is taken, to waiting for it.
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { waitedType } from '../../../../shared/waits/waits.ts'
import { type Html, html } from '../../../html/html.ts'
import { shorten } from '../../../reads/map/fit-text.ts'
import { findFloorPlanFacts } from '../../../reads/map/floor-plans.ts'
import { t } from '../../locales/translate.ts'
import { layoutOf, showCanvas, showCells } from '../../pages/map/canvas.ts'
import { floorPlanPicture } from '../../pages/map/floor-plan-pictures.ts'
import { legend } from '../../pages/map/legend.ts'
import type { Call } from '../../pages/page/page.ts'
import { seatAddress } from './seat-list.ts'
import { listFreeSeats, listPlaced, MAP_MAX, type Sitting } from './seats.ts'
import type { Wanted } from './wanted.ts'

/** The address of the page to wait for one place, or for any of its kind on a floor. */
export const waitAddress = (call: Call, query: Record<string, string | number>) =>
  call.link('/waits/new', query)

const { flexible, blocked } = BOOKABLE_STATUSES

export async function showFloorMap(
  call: Call,
  { floor, type, time }: Wanted,
  sitting: Sitting[],
  near: number | undefined,
): Promise<Html> {
  const location = floor.locationId
  const [placed, free, facts] = await Promise.all([
    listPlaced(call, { location, type }),
    listFreeSeats(call, { location, type }, time, MAP_MAX),
    findFloorPlanFacts(call.reads, location),
  ])
  const taken = sitting.filter(({ isAssigned }) => !isAssigned)
  const freeIds = new Set(free.map(({ id }) => id))
  const holders = new Map(taken.map(({ seatId, who }) => [seatId, who ?? t`Someone`]))
  const seats = placed.map((each) => ({
    ...each,
    occupied: holders.has(each.id),
    status: freeIds.has(each.id) ? flexible : blocked,
  }))
  const layout = layoutOf(facts && floorPlanPicture(call, location, facts), seats)
  const words = ({ id }: { id: number }) =>
    freeIds.has(id) ? t`free` : (holders.get(id) ?? t`not available`)
  const cells = showCells(layout, seats, {
    marked: near ?? free.find(({ isUsual }) => isUsual)?.id,
    label: floor.location,
    describe: words,
    format: (each) => shorten(words(each), 120, 12),
    addressOf({ id }) {
      if (freeIds.has(id)) return seatAddress(call, id, time)
      const isWaitable = holders.has(id) && waitedType().isValidSync(type)
      return isWaitable ? waitAddress(call, { bookable: id, from: time.from, to: time.to }) : undefined
    },
  })
  const states = { free: t`free`, occupied: t`taken`, blocked: t`not available` }
  return html`${legend(states)}${showCanvas(layout, floor.location, cells)}`
}
