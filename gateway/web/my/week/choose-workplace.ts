// Chooses what to book for a day at the office or at home. The worker books the first choice that is still free.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { numberColumn } from '../../../reads/rows/rows.ts'
import type { Call } from '../../pages/page/page.ts'
import { type Floor, listFloors } from '../book/floors.ts'
import { listFreeSeats, type Seat } from '../book/seats.ts'
import { findWantedTime } from '../book/wanted-time.ts'
import { listFavouritesAndGroups, listTeamMembers } from './favourites-and-groups.ts'
import type { DayBooking } from './own-days.ts'
import type { WorkingDay } from './working-days.ts'

const FREE_SEATS_MAX = 8
const CHOICES_MAX = 20
const { desk, homeOffice } = BOOKABLE_TYPES

/** A desk that the person prefers. If it is taken, the person gets a desk near it. */
type PreferredDesk = Pick<DayBooking, 'bookableId' | 'locationId'>
type Choice = {
  bookable_id: number
  location_id: number
  from_time: string | null
  to_time: string
}

/** Returns the choices for a working day at home: the home offices of the person's usual floor first. */
export async function chooseHomeOffice(call: Call, day: WorkingDay): Promise<Choice[]> {
  const floors = await listFloors(call.reads, call.requirePerson().id, homeOffice, call.now)
  const floor = floors.find(({ types }) => types.includes(homeOffice))
  return floor ? listChoices(call, day, floor, { type: homeOffice }) : []
}

/**
 * Returns the choices for a working day in the office: the preferred desk and those near it, or else the person's own
 * and usual desks, the desks nearest to their people, and other desks on their floor.
 */
export async function chooseDesk(call: Call, day: WorkingDay, preferred?: PreferredDesk): Promise<Choice[]> {
  const floors = await listFloors(call.reads, call.requirePerson().id, desk, call.now)
  const own = preferred ?? (await findOwnDesk(call))
  const floor = floors.find(({ locationId }) => locationId === own?.locationId) ?? floors[0]
  if (!floor?.types.includes(desk)) return []
  const first = own ? [toChoice(call, day, floor, { id: own.bookableId, locationId: own.locationId })] : []
  if (own) return [...first, ...(await listChoices(call, day, floor, { type: desk, near: own.bookableId }))]
  const onFloor = await listSeats(call, day, floor, { type: desk })
  const usual = onFloor.filter(({ isUsual }) => isUsual)
  const others = onFloor.filter(({ isUsual }) => !isUsual)
  const near = await listNearPeople(call, day, floors)
  const toChoices = (seats: Seat[]) => seats.map((seat) => toChoice(call, day, floor, seat))
  return removeRepeated([...toChoices(usual), ...near, ...toChoices(others)])
}

/** Finds the desk that is assigned to the person. */
const findOwnDesk = ({ reads, requirePerson }: Call): Promise<PreferredDesk | undefined> =>
  rows.selectRow(
    reads,
    { bookableId: numberColumn('bookables.id'), locationId: numberColumn('bookables.location_id') },
    `bookable_assignees JOIN bookables ON bookables.id = bookable_assignees.bookable_id
     WHERE bookable_assignees.user_id = $1 AND bookables.type = ${desk} AND bookables.deleted_at IS NULL
     ORDER BY bookables.id LIMIT 1`,
    [requirePerson().id],
  )

/** The group to sit near on a team day, and the floor on which it meets. */
export type MeetingTeam = { teamId: number; locationId: number | null }

/** Returns the choices for a team day: the desks nearest to a teammate, and other desks on the floor of the team. */
export async function chooseDeskWithTeam(call: Call, day: WorkingDay, team: MeetingTeam): Promise<Choice[]> {
  const floors = await listFloors(call.reads, call.requirePerson().id, desk, call.now)
  const floor = floors.find(({ locationId }) => locationId === team.locationId)
  const near = await listNearPeople(call, day, floors, team)
  const onFloor = floor ? await listChoices(call, day, floor, { type: desk }) : await chooseDesk(call, day)
  return removeRepeated([...near, ...onFloor])
}

const removeRepeated = (choices: Choice[]) =>
  choices
    .filter(
      ({ bookable_id }, index) => choices.findIndex((each) => each.bookable_id === bookable_id) === index,
    )
    .slice(0, CHOICES_MAX)

/** Lists the desks nearest to the first of the person's people, or of a team, who has a desk on this day. */
async function listNearPeople(
  call: Call,
  day: WorkingDay,
  floors: Floor[],
  team?: MeetingTeam,
): Promise<Choice[]> {
  const colleagues = team
    ? await listTeamMembers(call, [day], team.teamId)
    : await listFavouritesAndGroups(call, [day])
  const seat = colleagues
    .map((each) => each.seat)
    .find((each) => each?.type === desk && (!team?.locationId || each.locationId === team.locationId))
  const floor = floors.find(({ locationId }) => locationId === seat?.locationId)
  return seat && floor ? listChoices(call, day, floor, { type: desk, near: seat.bookableId }) : []
}

type SeatSearch = { type: number; near?: number }

const listChoices = async (call: Call, day: WorkingDay, floor: Floor, search: SeatSearch) =>
  (await listSeats(call, day, floor, search)).map((seat) => toChoice(call, day, floor, seat))

/** Lists free places. Leaves out places that need approval, because a request is not decided immediately. */
async function listSeats(
  call: Call,
  { date }: WorkingDay,
  floor: Floor,
  search: SeatSearch,
): Promise<Seat[]> {
  const place = search.near === undefined ? { location: floor.locationId } : { building: floor.buildingId }
  const time = findWantedTime({ date }, floor, call.now)
  if (time.to <= call.now) return []
  const free = await listFreeSeats(call, { ...place, ...search }, time, FREE_SEATS_MAX)
  return free.filter(({ needsApproval }) => !needsApproval)
}

function toChoice(
  call: Call,
  { date }: WorkingDay,
  floor: Floor,
  { id, locationId }: Pick<Seat, 'id' | 'locationId'>,
): Choice {
  const time = findWantedTime({ date }, floor, call.now)
  return {
    bookable_id: id,
    location_id: locationId,
    from_time: time.isNow ? null : time.from,
    to_time: time.to,
  }
}
