// Closes buildings or bookables at the same local times, such as the public holidays of a year. Each place uses its own
// time zone, and skips times at which it is already closed.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { createFieldMessage } from '../messages/strict.ts'
import * as answer from '../schemas/answers.ts'
import { list, object, required, text } from '../schemas/fields.ts'
import { idList } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { fromWallClock } from '../schemas/wall-clock.ts'
import { affectedBookingsFields } from './affected-bookings-input.ts'
import { CLOSED_TIMES_MAX, type ClosedTimes } from './closed-times.ts'

/** The limit on the buildings in one write, because one transaction locks and audits all of them. */
export const CLOSED_BUILDINGS_MAX = 500
const CLOSED_BOOKABLES_MAX = 1_000

const LOCAL_TIME_PATTERN = /^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}$/

const localTimeInput = () =>
  text({ max: 16 }).test(
    'local-time',
    createFieldMessage((name) => message`${name} must be a date and a time, such as 2026-11-20T09:00.`),
    (value) => value == null || (LOCAL_TIME_PATTERN.test(value) && !Number.isNaN(Date.parse(`${value}Z`))),
  )

const localClosedSchema = object({
  from: required(localTimeInput()),
  to: required(localTimeInput()),
  reason: required(text({ max: 255, min: 1 })),
})
/** A period in the building's local time in which the building is closed. */
export type LocalClosedTime = yup.InferType<typeof localClosedSchema>

const closingFields = {
  closed: required(list(required(localClosedSchema), { max: CLOSED_TIMES_MAX })),
  ...affectedBookingsFields(),
}

export const closingJobs = {
  'buildings.close': writeJob(
    object({ ids: required(idList({ max: CLOSED_BUILDINGS_MAX })), ...closingFields }),
    /** The reply: the number of changed buildings, and the number of closed times that were added to them. */
    answer.data(yup.object({ buildings: answer.integer(), added: answer.integer() })),
  ),
  /** Blocks bookables at these times. Bookables that are already closed at these times stay unchanged. */
  'bookables.close': writeJob(
    object({ ids: required(idList({ max: CLOSED_BOOKABLES_MAX })), ...closingFields }),
    answer.data(yup.object({ changed: answer.integer() })),
  ),
}

export type ClosingPlace = { id: number; zone: string; closed: ClosedTimes[] | null }

/** Returns the closed times to add to a place, without those at which the place is already closed. */
export function findNewClosedTimes(times: LocalClosedTime[], { zone, closed }: ClosingPlace): ClosedTimes[] {
  const added: ClosedTimes[] = []
  for (const { from, to, reason } of times) {
    const wanted = { from: toInstant(from, zone), to: toInstant(to, zone), reason }
    const isClosed = [...(closed ?? []), ...added].some(
      (each) => each.from <= wanted.from && wanted.to <= each.to,
    )
    if (wanted.from < wanted.to && !isClosed) added.push(wanted)
  }
  return added
}

/** Groups places that close at the same instants, as places in one time zone usually do. */
export function groupPlacesByTimes(times: LocalClosedTime[], places: ClosingPlace[]) {
  const groups = new Map<string, { ids: number[]; times: ClosedTimes[] }>()
  for (const place of places) {
    const added = findNewClosedTimes(times, place)
    const key = added.map(({ from, to }) => `${from} ${to}`).join()
    const group = groups.get(key) ?? { ids: [], times: added }
    if (added.length > 0) groups.set(key, { ...group, ids: [...group.ids, place.id] })
  }
  return [...groups.values()]
}

const toInstant = (local: string, zone: string) => fromWallClock(Date.parse(`${local}Z`), zone)
