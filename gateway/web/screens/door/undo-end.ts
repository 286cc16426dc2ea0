// Undoes what somebody has just ended at a door: for ten seconds, and only if nothing has happened to it since.
import { selectEvent } from '../../../../shared/events/events-shape.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { timestampText } from '../../../../shared/schemas/json.ts'
import { etagOf } from '../../../../shared/utilities/etags.ts'
import type { Origin } from '../../../queue/dispatch.ts'
import { replyOf } from '../../../queue/replies.ts'
import type { Services } from '../../../server/services/services.ts'
import { shareReads } from '../screen/screen-share.ts'
import type { Screen } from '../screen/views.ts'

export const UNDO_SECONDS = 10
// A press takes a moment to arrive.
const GRACE_SECONDS = 5

/** What a press has ended: a booking, or the event that holds the room. */
export type Ended = { kind: 'bookings' | 'events'; id: number }

const TOO_LATE = message`It is too late to undo this.`

/** The form in an address or a form field. */
export const formatEnded = ({ kind, id }: Ended): string => `${kind}-${id}`

export function parseEnded(text: unknown): Ended | undefined {
  const [, kind, id] = /^(bookings|events)-(\d{1,15})$/.exec(String(text)) ?? []
  return kind === 'bookings' || kind === 'events' ? { kind, id: Number(id) } : undefined
}

const FORMER = "CAST(before ->> 'during' AS tstzrange)"

type Ending = { entry: number; formerEnd: string | null }

/** Finds the audit log entry with which this screen ended it. Undefined if that was too long ago, or if it has changed since. */
async function findEnding(services: Services, screen: Screen, { kind, id }: Ended, seconds: number) {
  const find = {
    name: 'find-ending-at-door',
    text: `
      SELECT id AS entry, ${timestampText(`upper(${FORMER})`)} AS "formerEnd"
      FROM (SELECT * FROM audit_log WHERE resource = $1 AND resource_id = $2 ORDER BY id DESC LIMIT 1) AS last
      WHERE actor_type = 'system' AND actor_id = $3 AND undoes IS NULL
        AND (after IS NULL OR coalesce(upper(${FORMER}), 'infinity') > upper(CAST(after ->> 'during' AS tstzrange)))
        AND at > now() - make_interval(secs => $4)`,
    values: [kind, id, screen.id, seconds],
  }
  const { rows } = await shareReads(services, screen, (pool) => pool.query<Ending>(find))
  return rows[0]
}

export const mayUndoEnd = async (services: Services, screen: Screen, ended: Ended): Promise<boolean> =>
  (await findEnding(services, screen, ended, UNDO_SECONDS)) !== undefined

export async function undoEnd(
  services: Services,
  screen: Screen,
  ended: Ended | undefined,
  origin: Origin,
): Promise<void> {
  const found = ended && (await findEnding(services, screen, ended, UNDO_SECONDS + GRACE_SECONDS))
  if (!found) throw new Refusal('validation_failed', TOO_LATE)
  const { dispatcher } = services
  const { id, kind } = ended
  if (kind === 'bookings') {
    replyOf(await dispatcher.dispatch('audit-entries.undo', { id: found.entry }, origin))
    return
  }
  if (found.formerEnd === null) throw new Refusal('validation_failed', TOO_LATE)
  // The ETag keeps undo from overwriting a change that somebody else makes at this moment.
  const { rows } = await shareReads(services, screen, (pool) =>
    pool.query<{ body: string }>(selectEvent('$1'), [id]),
  )
  const if_match = [etagOf(rows[0]?.body ?? '')]
  replyOf(await dispatcher.dispatch('events.update', { id, to_time: found.formerEnd, if_match }, origin))
}
