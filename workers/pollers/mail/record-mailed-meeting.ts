// Records what a mail said about a meeting. Berth compares the next mail with this record.
import type { Knex } from 'knex'
import type { MailedMeeting, MeetingInMail } from './invitations.ts'

type FormerInvitation = {
  told: MailedMeeting | null
  sequence: number
  times_sequence: number | null
  told_at: string | null
}

/**
 * Records what the mail says about its meetings, in the transaction that records the mail as sent. Returns a function
 * that restores the former record.
 */
export async function recordMailedMeeting(
  trx: Knex.Transaction,
  meeting: MeetingInMail,
): Promise<(trx: Knex.Transaction) => Promise<void>> {
  const inOrder = [meeting, ...meeting.others].sort((one, other) => one.invitationId - other.invitationId)
  const restore: Array<(trx: Knex.Transaction) => Promise<void>> = []
  for (const each of inOrder) restore.push(await recordMailed(trx, each))
  return async (later) => {
    for (const each of restore) await each(later)
  }
}

/**
 * Queues a mail about the meetings of a series that this mail leaves out because they must wait. The queued mail stays if
 * the mail server refuses this one, because Berth sends it later and drops it if it has nothing left to say.
 */
export async function queueNextMail(
  trx: Knex.Transaction,
  invitationId: number | null,
  { waitsUntil }: MeetingInMail,
): Promise<void> {
  if (invitationId === null || waitsUntil === undefined) return
  await trx.raw(
    `INSERT INTO mails (kind, invitation_id, next_at) VALUES ('meeting', ?, CAST(? AS timestamptz))
     ON CONFLICT (invitation_id) WHERE kind = 'meeting' AND attempts = 0
     DO UPDATE SET next_at = least(mails.next_at, excluded.next_at)`,
    [invitationId, waitsUntil],
  )
}

async function recordMailed(
  trx: Knex.Transaction,
  { invitationId, state, now, sequence }: MeetingInMail,
): Promise<(trx: Knex.Transaction) => Promise<void>> {
  const { rows } = await trx.raw<{ rows: FormerInvitation[] }>(
    `UPDATE invitations SET told = :told, sequence = :sequence, told_at = now(),
       times_sequence = CASE WHEN (former.told ->> 'from', former.told ->> 'to') = (:from, :to) THEN former.times_sequence ELSE :sequence END
     FROM (SELECT id, told, sequence, times_sequence, told_at FROM invitations WHERE id = :id FOR UPDATE) AS former
     WHERE invitations.id = former.id RETURNING former.told, former.sequence, former.times_sequence, former.told_at`,
    {
      id: invitationId,
      told: state === 'cancelled' ? null : JSON.stringify(now),
      sequence,
      from: now.from,
      to: now.to,
    },
  )
  const [former] = rows
  return async (later) => {
    if (!former) return
    const { told, ...others } = former
    await later('invitations')
      .where({ id: invitationId })
      .update({ ...others, told: told === null ? null : JSON.stringify(told) })
  }
}
