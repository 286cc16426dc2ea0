// Lists rooms for an event: chosen ones first, then free ones, then free ones that are too small for its
// people, then the rest.
import type pg from 'pg'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { listFree, searchByName } from '../bookings/free-bookables.ts'
import { type BookableChoice, searchBookables } from '../search/choices.ts'

const SHOWN = 30
const CANDIDATES_MAX = 150
const TYPE = BOOKABLE_TYPES.meetingRoom

export type RoomState = 'free' | 'taken' | 'unavailable'
type Room = Pick<BookableChoice, 'id' | 'name' | 'status' | 'capacity' | 'location' | 'building' | 'zone'>
export type OfferedRoom = Room & {
  /** Undefined if the time is not known. */
  state: RoomState | undefined
  isChosen: boolean
  isTooSmall: boolean
  isDeleted?: boolean
}
export type RoomList = { rooms: OfferedRoom[]; hasMore: boolean }

type RoomSearch = {
  span: { from: string; to: string } | undefined
  chosen: BookableChoice[]
  people: number
  /** The organizer: some rooms are only for certain people. */
  organizer: number | undefined
  building: number | undefined
  /** Words from the room's name or place. */
  place: string | undefined
  all: boolean | undefined
  /** The event itself: its own claims do not count as conflicts. */
  own: { event: number; rooms: number[] } | undefined
}

type Candidate = Room & { isFree: boolean; isDeleted?: boolean }

export async function listRooms(reads: pg.Pool, search: RoomSearch): Promise<RoomList> {
  const { span, chosen, people, own, all } = search
  const chosenIds = new Set(chosen.map(({ id }) => id))
  const { found, hasMore } = span ? await listCandidates(reads, search, span) : { found: [], hasMore: false }
  const known = new Set(found.map(({ id }) => id))
  const candidates = [...chosen.filter(({ id }) => !known.has(id)).map(asCandidate), ...found]
  const taken = span && (await findTakenByOthers(reads, candidates, span, own?.event))
  const stateOf = ({ id, isFree }: Candidate): RoomState | undefined => {
    if (!taken) return undefined
    if (taken.has(id)) return 'taken'
    return isFree || own?.rooms.includes(id) ? 'free' : 'unavailable'
  }
  const offered = candidates.map((room) => ({
    ...room,
    state: stateOf(room),
    isChosen: chosenIds.has(room.id),
    isTooSmall: isTooSmall(room, people),
  }))
  offered.sort((one, other) => rankOf(one) - rankOf(other))
  const shownMax = chosen.length + (all ? CANDIDATES_MAX : SHOWN)
  return { rooms: offered.slice(0, shownMax), hasMore: hasMore || offered.length > shownMax }
}

/** A room of unknown capacity may be large enough. */
export const isTooSmall = ({ capacity }: Pick<Room, 'capacity'>, people: number): boolean =>
  capacity !== null && capacity < people

function rankOf({ isChosen, state, isTooSmall }: OfferedRoom): number {
  if (isChosen) return 0
  if (state !== 'free') return 3
  return isTooSmall ? 2 : 1
}

const asCandidate = (room: BookableChoice): Candidate => ({
  ...room,
  isFree: room.status !== BOOKABLE_STATUSES.blocked && !room.isDeleted,
})

/** Lists free rooms first. A search by name shows rooms whether or not they are free. */
async function listCandidates(
  reads: pg.Pool,
  { organizer, building, place }: RoomSearch,
  span: { from: string; to: string },
): Promise<{ found: Candidate[]; hasMore: boolean }> {
  const where = { building, type: TYPE }
  if (place !== undefined) {
    const { found, hasMore } = await searchByName(reads, place, where, span)
    const isBlocked = (room: Room) => room.status === BOOKABLE_STATUSES.blocked
    return { found: found.map((room) => ({ ...room, isFree: !isBlocked(room) })), hasMore }
  }
  const free = await listFree(reads, { ...where, user: organizer }, span, { limit: CANDIDATES_MAX })
  if (free.hasMore) return free
  const without = free.found.map(({ id }) => id)
  const others = await searchBookables(reads, '', { ...where, without, limit: SHOWN + 1 })
  return {
    found: [...free.found, ...others.slice(0, SHOWN).map((room) => ({ ...room, isFree: false }))],
    hasMore: others.length > SHOWN,
  }
}

async function findTakenByOthers(
  reads: pg.Pool,
  rooms: Array<{ id: number }>,
  { from, to }: { from: string; to: string },
  event: number | undefined,
): Promise<Set<number>> {
  const { rows } = await reads.query<{ id: number }>(
    `SELECT DISTINCT bookable_id AS id FROM bookings
     WHERE exclusive AND bookable_id = ANY($1) AND during && tstzrange($2, $3)
       AND (event_id IS NULL OR event_id IS DISTINCT FROM $4)`,
    [rooms.map(({ id }) => id), from, to, event ?? null],
  )
  return new Set(rows.map(({ id }) => id))
}
