// Closes buildings or bookables at the same local times, such as the public holidays of a year: each in its own time
// zone, and none twice.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { fieldMessage } from '../messages/strict.ts'
import * as answer from '../schemas/answers.ts'
import { list, object, required, text } from '../schemas/fields.ts'
import { ids } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { fromWallClock } from '../schemas/wall-clock.ts'
import { affectedBookingsFields } from './affected-bookings-input.ts'
import { CLOSED_MAX, type Closed } from './closed.ts'

/** So that one transaction locks and audits them all. */
export const CLOSED_BUILDINGS_MAX = 500
const CLOSED_BOOKABLES_MAX = 1_000

const LOCAL_TIME = /^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}$/

const localTime = () =>
  text({ max: 16 }).test(
    'local-time',
    fieldMessage((name) => message`${name} must be a date and a time, such as 2026-11-20T09:00.`),
    (value) => value == null || (LOCAL_TIME.test(value) && !Number.isNaN(Date.parse(`${value}Z`))),
  )

const localClosedSchema = object({
  from: required(localTime()),
  to: required(localTime()),
  reason: required(text({ max: 255, min: 1 })),
})
/** On the clocks of the building. */
export type LocalClosed = yup.InferType<typeof localClosedSchema>

const closing = {
  closed: required(list(required(localClosedSchema), { max: CLOSED_MAX })),
  ...affectedBookingsFields(),
}

export const closingJobs = {
  'buildings.close': write(
    object({ ids: required(ids({ max: CLOSED_BUILDINGS_MAX })), ...closing }),
    /** How many buildings were changed, and how many closed times were added to them. */
    answer.data(yup.object({ buildings: answer.integer(), added: answer.integer() })),
  ),
  /** Blocks them for these times. Those that are closed then already stay as they are. */
  'bookables.close': write(
    object({ ids: required(ids({ max: CLOSED_BOOKABLES_MAX })), ...closing }),
    answer.data(yup.object({ changed: answer.integer() })),
  ),
}

export type ClosingPlace = { id: number; zone: string; closed: Closed[] | null }

/** The times that are added to the place: those at which it is not closed already. */
export function newlyClosed(times: LocalClosed[], { zone, closed }: ClosingPlace): Closed[] {
  const added: Closed[] = []
  for (const { from, to, reason } of times) {
    const wanted = { from: toInstant(from, zone), to: toInstant(to, zone), reason }
    const isClosed = [...(closed ?? []), ...added].some(
      (each) => each.from <= wanted.from && wanted.to <= each.to,
    )
    if (wanted.from < wanted.to && !isClosed) added.push(wanted)
  }
  return added
}

/** Places that close at the same instants. Those of one time zone mostly do. */
export function groupByTimes(times: LocalClosed[], places: ClosingPlace[]) {
  const groups = new Map<string, { ids: number[]; times: Closed[] }>()
  for (const place of places) {
    const added = newlyClosed(times, place)
    const key = added.map(({ from, to }) => `${from} ${to}`).join()
    const group = groups.get(key) ?? { ids: [], times: added }
    if (added.length > 0) groups.set(key, { ...group, ids: [...group.ids, place.id] })
  }
  return [...groups.values()]
}

const toInstant = (local: string, zone: string) => fromWallClock(Date.parse(`${local}Z`), zone)
