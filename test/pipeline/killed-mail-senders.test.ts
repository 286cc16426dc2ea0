// Kills a process while it sends a mail. Before the last line is sent, another process sends the mail again. After the
// last line, no process does. The mail server counts the mails that it accepts.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { type Child, killChildren, startWorkerProcess } from '../support/processes.ts'
import { eventually } from '../support/time.ts'
import { useClient, useWorld } from '../support/world.ts'
import { book, createMailSettings, createPerson } from '../workers/pollers/mail/mailed-person.ts'
import { useSmtp } from '../workers/pollers/mail/smtp-server.ts'

describe('a process that is killed while it sends a mail', function () {
  this.timeout(240_000)
  const smtp = useSmtp()
  const world = useWorld(() => ({ workers: ['writes'], environment: createMailSettings(smtp) }))
  const client = useClient(world)
  let sender: Child
  const start = async () => {
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = world
    const settings = { DATABASE_URL, REDIS_URL, PEOPLE_PAGES: 'on', ...createMailSettings(smtp) }
    sender = await startWorkerProcess(settings, ['upkeep'])
  }
  const kill = async () => {
    sender.kill('SIGKILL')
    await sender.ended
  }
  beforeEach(async () => {
    await start()
    await eventually(async () => expect(await world.database('mail_position')).to.have.length(1))
  })
  afterEach(async () => {
    smtp.beforeRecipient = undefined
    smtp.beforeAnswer = undefined
    await killChildren()
  })

  const mailOf = async (user_id: number) => {
    const [mail, ...more] = await world.database('mails').where({ user_id })
    expect(more).to.deep.equal([])
    return mail ?? expect.fail('No mail yet')
  }
  /** Makes the mail due, as if its retry time had come or its process had died. */
  const makeDue = async (user_id: number) => {
    await eventually(() => mailOf(user_id))
    await world.database('mails').where({ user_id }).update({ next_at: world.database.fn.now() })
  }
  const ended = (user_id: number) =>
    eventually(async () => expect((await mailOf(user_id)).next_at).to.equal(null))

  it('leaves the mail to another process, which sends it once, if killed before the last line', async () => {
    const person = await createPerson(world)
    let lock: Knex.Transaction | undefined
    smtp.beforeRecipient = async () => {
      smtp.beforeRecipient = undefined
      lock = await world.database.transaction()
      await lock('mails').where({ user_id: person.user_id }).forUpdate()
    }
    await book(client, person)
    await makeDue(person.user_id)
    await eventually(async () => {
      const { rows } = await world.database.raw(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE mails SET sent_at%'",
      )
      expect(rows).to.have.length(1)
    })
    await kill()
    await lock?.rollback()
    expect(smtp.sentTo(person.email)).to.deep.equal([])
    await start()
    await makeDue(person.user_id)
    await ended(person.user_id)
    expect(smtp.sentTo(person.email)).to.have.length(1)
  })

  it('causes no second copy of a mail if the process is killed after the last line', async () => {
    const person = await createPerson(world)
    smtp.beforeAnswer = () => new Promise(() => undefined)
    const id = await book(client, person)
    await makeDue(person.user_id)
    await eventually(() => expect(smtp.sentTo(person.email)).to.have.length(1))
    await kill()
    smtp.beforeAnswer = undefined
    await start()
    await makeDue(person.user_id)
    await ended(person.user_id)
    expect((await mailOf(person.user_id)).sent_at).to.be.a('string')
    expect(smtp.sentTo(person.email)).to.have.length(1)
    await client.delete(`bookings/${id}`)
    await world.database('mails').where({ user_id: person.user_id }).whereNotNull('sent_at').delete()
    await makeDue(person.user_id)
    await ended(person.user_id)
    expect(
      smtp.sentTo(person.email).map(({ calendar }) => /^METHOD:(\w+)/m.exec(calendar ?? '')?.[1]),
    ).to.deep.equal(['REQUEST', 'CANCEL'])
  })

  it('does not delay other mails, and sends nothing twice if the process resumes late', async () => {
    const person = await createPerson(world)
    let go: (() => void) | undefined
    smtp.beforeRecipient = () => {
      smtp.beforeRecipient = undefined
      return new Promise<void>((resolve) => {
        go = resolve
      })
    }
    const asked = smtp.asked
    await book(client, person)
    await makeDue(person.user_id)
    await eventually(async () => expect(Number((await mailOf(person.user_id)).attempts)).to.equal(1))
    const slow = sender
    await start()
    await makeDue(person.user_id)
    await ended(person.user_id)
    go?.()
    await slow.line('a mail could not be sent')
    expect(smtp.asked).to.be.greaterThan(asked)
    expect(smtp.sentTo(person.email)).to.have.length(1)
    expect((await mailOf(person.user_id)).sent_at).to.be.a('string')
  })
})
