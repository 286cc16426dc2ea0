// The requests that concern a person: those that wait for their decision, those that they have decided, and their own.
import type pg from 'pg'
import { REQUEST_STATES, type RequestState } from '../../../shared/booking-requests/booking-requests.ts'
import * as rows from '../../reads/rows/rows.ts'
import { column, flag, instant, number, orNull, text } from '../../reads/rows/rows.ts'
import type { Call } from '../pages/page/page.ts'

export const [PENDING] = REQUEST_STATES

const REQUEST = {
  id: number('holds.id'),
  state: column<RequestState>('holds.state'),
  ...rows.spanOf('holds'),
  userId: number('holds.user_id'),
  asker: text('askers.name'),
  email: text('askers.email'),
  guest: orNull(text('coalesce(holds.guest_name, holds.guest_email)')),
  info: orNull(text('holds.booking_info')),
  reason: orNull(text('holds.reason')),
  expiresAt: instant('holds.expires_at'),
  decidedAt: orNull(instant('holds.decided_at')),
  /** Null if an administrator or nobody did. */
  decider: orNull(text('deciders.name')),
  isByAdmin: flag('holds.decided_by_admin_id IS NOT NULL'),
  ...rows.BOOKED,
}
export type PlaceRequest = rows.RowOf<typeof REQUEST>

// Of requests, the statements of a person see their own and those that they may decide (personal-limits.ts).
const REQUESTS = `holds JOIN users AS askers ON askers.id = holds.user_id
  LEFT JOIN users AS deciders ON deciders.id = holds.decided_by_user_id
  JOIN bookables ON bookables.id = holds.bookable_id ${rows.JOIN_PLACES}
  WHERE holds.kind = 'request'`

const SHOWN_MAX = 50
const LATELY_DAYS = 7

const isOpen = (now: string) => `holds.state = '${PENDING}' AND holds.expires_at > ${now}`

/** The first to lapse comes first. */
export const listToDecide = ({ reads, requirePerson, now }: Call): Promise<PlaceRequest[]> =>
  rows.selectRows(
    reads,
    REQUEST,
    `${REQUESTS} AND holds.user_id <> $1 AND ${isOpen('$2::timestamptz')}
     ORDER BY holds.expires_at, holds.id LIMIT ${SHOWN_MAX}`,
    [requirePerson().id, now],
  )

export const listDecided = ({ reads, requirePerson, now }: Call): Promise<PlaceRequest[]> =>
  rows.selectRows(
    reads,
    REQUEST,
    `${REQUESTS} AND holds.decided_by_user_id = $1 AND holds.user_id <> $1
       AND holds.decided_at > $2::timestamptz - interval '${LATELY_DAYS} days'
     ORDER BY holds.decided_at DESC, holds.id LIMIT ${SHOWN_MAX}`,
    [requirePerson().id, now],
  )

/** Those that are open, then those that were decided lately. */
export const listAsked = ({ reads, requirePerson, now }: Call): Promise<PlaceRequest[]> =>
  rows.selectRows(
    reads,
    REQUEST,
    `${REQUESTS} AND holds.user_id = $1 AND (holds.state = '${PENDING}'
       OR holds.decided_at > $2::timestamptz - interval '${LATELY_DAYS} days')
     ORDER BY holds.state <> '${PENDING}', lower(holds.during), holds.id LIMIT ${SHOWN_MAX}`,
    [requirePerson().id, now],
  )

export const findRequest = (reads: pg.Pool, id: number): Promise<PlaceRequest | undefined> =>
  rows.selectRow(reads, REQUEST, `${REQUESTS} AND holds.id = $1`, [id])

const COUNTS = {
  toDecide: number('count(*) FILTER (WHERE user_id <> $1)::int'),
  asked: number('count(*) FILTER (WHERE user_id = $1)::int'),
}

export const countOpenRequests = async ({ reads, requirePerson, now }: Call) =>
  (await rows.selectRow(
    reads,
    COUNTS,
    `holds WHERE holds.kind = 'request' AND ${isOpen('$2::timestamptz')}`,
    [requirePerson().id, now],
  )) ?? { toDecide: 0, asked: 0 }
