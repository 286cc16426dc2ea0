// Undoes the end of a booking or event at a door: for ten seconds, and only if the booking or event has not
// changed since.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import type { AttemptOrigin } from '../../../queue/dispatch.ts'
import { requireReply } from '../../../queue/replies.ts'
import type { Services } from '../../../server/services/services.ts'
import { shareScreenReads } from '../screen/screen-share.ts'
import type { Screen } from '../screen/views.ts'

export const UNDO_SECONDS = 10
// Extra seconds for the time that the request of a press takes to arrive.
const GRACE_SECONDS = 5

/** The booking that was ended at the screen, or the event that has the room. */
export type EndedClaim = { kind: 'bookings' | 'events'; id: number }

const TOO_LATE_TO_UNDO = message`It is too late to undo this.`

/** Formats an ended booking or event for an address or a form field. */
export const formatEndedClaim = ({ kind, id }: EndedClaim): string => `${kind}-${id}`

export function parseEndedClaim(text: unknown): EndedClaim | undefined {
  const [, kind, id] = /^(bookings|events)-(\d{1,15})$/.exec(String(text)) ?? []
  return kind === 'bookings' || kind === 'events' ? { kind, id: Number(id) } : undefined
}

const FORMER_TIME_SQL = "CAST(before ->> 'during' AS tstzrange)"

type EndingEntry = { entry: number }

/**
 * Finds the audit log entry with which this screen ended a booking or event. Returns undefined if that was too long
 * ago, or if the booking or event has changed since.
 */
async function findEndingEntry(
  services: Services,
  screen: Screen,
  { kind, id }: EndedClaim,
  seconds: number,
) {
  const find = {
    name: 'find-ending-at-door',
    text: `
      SELECT id AS entry
      FROM (SELECT * FROM audit_log WHERE resource = $1 AND resource_id = $2 ORDER BY id DESC LIMIT 1) AS last
      WHERE actor_type = 'system' AND actor_id = $3 AND undoes IS NULL
        AND (after IS NULL OR coalesce(upper(${FORMER_TIME_SQL}), 'infinity') > upper(CAST(after ->> 'during' AS tstzrange)))
        AND at > now() - make_interval(secs => $4)`,
    values: [kind, id, screen.id, seconds],
  }
  const { rows } = await shareScreenReads(services, screen, (pool) => pool.query<EndingEntry>(find))
  return rows[0]
}

export const canUndoEnd = async (services: Services, screen: Screen, ended: EndedClaim): Promise<boolean> =>
  (await findEndingEntry(services, screen, ended, UNDO_SECONDS)) !== undefined

export async function undoEnd(
  services: Services,
  screen: Screen,
  ended: EndedClaim | undefined,
  origin: AttemptOrigin,
): Promise<void> {
  const found = ended && (await findEndingEntry(services, screen, ended, UNDO_SECONDS + GRACE_SECONDS))
  if (!found) throw new Refusal('validation_failed', TOO_LATE_TO_UNDO)
  requireReply(await services.dispatcher.dispatch('audit-entries.undo', { id: found.entry }, origin))
}
