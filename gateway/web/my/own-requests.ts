// Queries for the requests that concern a person: requests that wait for the person's decision, requests that
// the person has decided, and the person's own requests.
import type pg from 'pg'
import { REQUEST_STATES, type RequestState } from '../../../shared/booking-requests/booking-requests.ts'
import * as rows from '../../reads/rows/rows.ts'
import {
  column,
  flagColumn,
  instantColumn,
  nullableColumn,
  numberColumn,
  textColumn,
} from '../../reads/rows/rows.ts'
import { REQUESTED_PEOPLE } from '../pages/bookings/requested-people.ts'
import type { Call } from '../pages/page/page.ts'

export const [PENDING] = REQUEST_STATES

const REQUEST_COLUMNS = {
  id: numberColumn('holds.id'),
  state: column<RequestState>('holds.state'),
  ...rows.createSpanColumns('holds'),
  userId: numberColumn('holds.user_id'),
  asker: textColumn('askers.name'),
  email: textColumn('askers.email'),
  guest: nullableColumn(textColumn('coalesce(holds.guest_name, holds.guest_email)')),
  info: nullableColumn(textColumn('holds.booking_info')),
  /** The title of a requested meeting. Null for a request of a booking. */
  title: nullableColumn(textColumn('holds.title')),
  people: REQUESTED_PEOPLE,
  eventId: nullableColumn(numberColumn('holds.event_id')),
  reason: nullableColumn(textColumn('holds.reason')),
  expiresAt: instantColumn('holds.expires_at'),
  decidedAt: nullableColumn(instantColumn('holds.decided_at')),
  /** The name of the decider. Null if an administrator or nobody has decided, or if the decider hides. */
  decider: nullableColumn(textColumn('deciders.name')),
  isByAdmin: flagColumn('holds.decided_by_admin_id IS NOT NULL'),
  ...rows.BOOKED_PLACE_COLUMNS,
}
export type BookingRequestRow = rows.RowOf<typeof REQUEST_COLUMNS>

// The requests that a person may see: their own, and those that they may decide (see personal-limits.ts).
const REQUESTS_FROM = `holds JOIN users AS askers ON askers.id = holds.user_id
  LEFT JOIN visible_people AS deciders ON deciders.id = holds.decided_by_user_id
  JOIN bookables ON bookables.id = holds.bookable_id ${rows.JOIN_PLACES}
  WHERE holds.kind = 'request'`

const SHOWN_REQUESTS_MAX = 50
const RECENT_DAYS = 7

const isOpenSql = (now: string) => `holds.state = '${PENDING}' AND holds.expires_at > ${now}`

/** Lists the requests that the person may decide, starting with the request that lapses first. */
export const listRequestsToDecide = ({ reads, requirePerson, now }: Call): Promise<BookingRequestRow[]> =>
  rows.selectRows(
    reads,
    REQUEST_COLUMNS,
    `${REQUESTS_FROM} AND holds.user_id <> $1 AND ${isOpenSql('$2::timestamptz')}
     ORDER BY holds.expires_at, holds.id LIMIT ${SHOWN_REQUESTS_MAX}`,
    [requirePerson().id, now],
  )

export const listDecidedRequests = ({ reads, requirePerson, now }: Call): Promise<BookingRequestRow[]> =>
  rows.selectRows(
    reads,
    REQUEST_COLUMNS,
    `${REQUESTS_FROM} AND holds.decided_by_user_id = $1 AND holds.user_id <> $1
       AND holds.decided_at > $2::timestamptz - interval '${RECENT_DAYS} days'
     ORDER BY holds.decided_at DESC, holds.id LIMIT ${SHOWN_REQUESTS_MAX}`,
    [requirePerson().id, now],
  )

/** Lists the person's own requests: open requests first, then recently decided ones. */
export const listOwnRequests = ({ reads, requirePerson, now }: Call): Promise<BookingRequestRow[]> =>
  rows.selectRows(
    reads,
    REQUEST_COLUMNS,
    `${REQUESTS_FROM} AND holds.user_id = $1 AND (holds.state = '${PENDING}'
       OR holds.decided_at > $2::timestamptz - interval '${RECENT_DAYS} days')
     ORDER BY holds.state <> '${PENDING}', lower(holds.during), holds.id LIMIT ${SHOWN_REQUESTS_MAX}`,
    [requirePerson().id, now],
  )

export const findRequest = (reads: pg.Pool, id: number): Promise<BookingRequestRow | undefined> =>
  rows.selectRow(reads, REQUEST_COLUMNS, `${REQUESTS_FROM} AND holds.id = $1`, [id])

export const countRequestsToDecide = async ({ reads, requirePerson, now }: Call): Promise<number> =>
  (
    await rows.selectRow(
      reads,
      { count: numberColumn('count(*)::int') },
      `holds WHERE holds.kind = 'request' AND user_id <> $1 AND ${isOpenSql('$2::timestamptz')}`,
      [requirePerson().id, now],
    )
  )?.count ?? 0
