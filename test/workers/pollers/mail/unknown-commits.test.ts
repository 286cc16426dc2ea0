// Tests a mail whose record as sent is committed, although the process never gets the answer: Berth tries the mail
// again, and does not assume that the reader has got it.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { connectDatabase } from '../../../../shared/database/database.ts'
import { openSmtp } from '../../../../shared/mail/smtp.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { queueBookingMails } from '../../../../workers/pollers/mail/queue-booking-mails.ts'
import { MailSender } from '../../../../workers/pollers/mail/send-mails.ts'
import { hoursFromNow } from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useClient, useWorld } from '../../../support/world.ts'
import { book, createMailSettings, createPerson } from './mailed-person.ts'
import { useSmtp } from './smtp-server.ts'

type Query = (query: { text?: string }, done: (error: Error | null, result?: unknown) => void) => unknown
type Pool = { on(event: 'acquireSuccess', seen: (id: number, connection: { query: Query }) => void): void }

/** Loses the answers to the commits that record mails as sent. Returns how many were lost. */
function loseCommits(database: Knex): () => number {
  let [isRecording, lost] = [false, 0]
  const changed = new WeakSet<object>()
  const { pool } = database.client as { pool: Pool }
  pool.on('acquireSuccess', (_id, connection) => {
    if (changed.has(connection)) return
    changed.add(connection)
    const query = connection.query.bind(connection)
    connection.query = (asked, done) => {
      if (asked.text?.startsWith('UPDATE mails SET sent_at = now()')) isRecording = true
      if (!isRecording || !asked.text?.startsWith('COMMIT')) return query(asked, done)
      isRecording = false
      lost++
      return query(asked, () => done(new Error('The connection is lost')))
    }
  })
  return () => lost
}

describe('a mail whose record was committed without an answer', () => {
  const smtp = useSmtp()
  const world = useWorld(() => ({ workers: ['writes'], environment: createMailSettings(smtp) }))
  const client = useClient(world)

  it('is sent when Berth tries it again', async () => {
    const [organizer, colleague] = [await createPerson(world), await createPerson(world)]
    const made = await client.post('events?invite=true', {
      name: 'Harbour plans',
      organizer_user_id: organizer.user_id,
      attendees: [{ type: 'user', id: colleague.user_id }],
      from_time: hoursFromNow(40),
      to_time: hoursFromNow(41),
    })
    const answer = `events/${made.json.data.id}/attendees/${colleague.user_id}/answer`
    expect((await client.post(answer, { status: 1 })).status).to.equal(200)
    await book(client, colleague)
    const mails = () => world.database('mails').where({ sent_at: null })
    await eventually(async () => {
      await queueBookingMails(world.database)
      expect(await mails()).to.have.length(4)
    })
    const database = connectDatabase(world.databaseUrl, { connectionsMax: 1 })
    const settings = world.config.mail ?? expect.fail('There is no mail server')
    const [first, second] = [openSmtp(settings), openSmtp(settings)]
    const tools = { settings, log: createLog('test', 'silent'), count: () => undefined }
    try {
      const lost = loseCommits(database)
      await mails().update({ next_at: world.database.fn.now() })
      await new MailSender({ ...tools, database, smtp: first }).sendDue(() => false)
      expect(lost()).to.equal(4)
      expect(smtp.received).to.deep.equal([])
      await mails().update({ next_at: world.database.fn.now() })
      await new MailSender({ ...tools, database: world.database, smtp: second }).sendDue(() => false)
    } finally {
      await Promise.all([first.close(), second.close(), database.destroy()])
    }
    expect(smtp.received.map(({ to }) => String(to)).sort()).to.deep.equal(
      [organizer.email, organizer.email, colleague.email, colleague.email].sort(),
    )
  })
})
