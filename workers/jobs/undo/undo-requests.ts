// Undoes the approvals of a write: the requests that it approved wait for a decision again.
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { AuditedRow, Write } from '../../runtime/write.ts'
import { refuseUnlessApprover } from '../booking-requests/booking-requests.ts'
import type { UndoEntry } from './entries.ts'

const getIds = (entries: UndoEntry[]) => entries.map(({ thing }) => thing)

/** Locks the requests and events of the entries. Call this before locking claims. */
export async function lockRequestsAndEvents(
  write: Write,
  requests: UndoEntry[],
  events: UndoEntry[],
): Promise<void> {
  await write.run('SELECT FROM holds WHERE id = ANY(?::bigint[]) ORDER BY id FOR UPDATE', [getIds(requests)])
  await write.run('SELECT FROM events WHERE id = ANY(?::bigint[]) ORDER BY id FOR UPDATE', [getIds(events)])
}

/** Refuses unless the caller may still decide the requests. */
export async function refuseUnlessMayDecide(write: Write, entries: UndoEntry[]): Promise<void> {
  for (const { after } of entries)
    await refuseUnlessApprover(write, {
      bookable_id: Number(after?.['bookable_id']),
      user_id: Number(after?.['user_id']),
    })
}

/**
 * Makes approved requests wait for a decision again, with their bookables reserved. The caller must first undo the
 * bookings and events that the approvals created.
 */
export async function undoApprovals(write: Write, entries: UndoEntry[]): Promise<void> {
  if (entries.length === 0) return
  const ids = getIds(entries)
  const former = await write.readFormer('booking_requests', ids)
  const before = await write.all<AuditedRow>(
    'SELECT id, to_jsonb(holds) AS row FROM holds WHERE id = ANY(?::bigint[]) ORDER BY id',
    [ids],
  )
  const after = await write.all<AuditedRow>(
    `UPDATE holds SET state = 'pending', decided_at = NULL, decided_by_user_id = NULL, decided_by_admin_id = NULL,
       booking_id = NULL, event_id = NULL
     WHERE id = ANY(CAST(:ids AS bigint[])) AND state = 'approved' AND expires_at > :now
     RETURNING id, to_jsonb(holds) AS row`,
    { ids, now: write.now },
  )
  if (after.length < entries.length)
    throw new Refusal('in_use', message`The request can no longer wait for a decision. Nothing was undone.`)
  await write.run(
    `INSERT INTO bookings (bookable_id, hold_id, during, exclusive)
     SELECT bookable_id, holds.id, during, type <> ${BOOKABLE_TYPES.homeOffice}
     FROM holds JOIN bookables ON bookables.id = bookable_id WHERE holds.id = ANY(?::bigint[]) ORDER BY bookable_id`,
    [ids],
  )
  // Deletes the mail about the former decision, so that the person also gets a mail about the next decision.
  await write.run(
    'DELETE FROM mails USING holds WHERE hold_id = ANY(?::bigint[]) AND holds.id = hold_id AND mails.user_id = holds.user_id',
    [ids],
  )
  await write.auditRows('booking_requests.reopen', former, { before, after })
}
