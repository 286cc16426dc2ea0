// Tests mail during an outage of the mail server, or beside a worker of an earlier release: mails are not delayed
// longer than needed, and only refusals by the server count as attempts.
import { expect } from 'chai'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'
import { createMailSettings, createPerson, type MailedPerson } from './mailed-person.ts'
import { startSmtp, type TestSmtp } from './smtp-server.ts'

const MAIL_COUNT = 12
const OUTAGE_MESSAGE = 'the mail server cannot be used'
const RECOVERY_MESSAGE = 'the mail server takes mails again'

describe('an outage of the mail server', function () {
  this.timeout(120_000)
  const lines: string[] = []
  let smtp: TestSmtp
  before(async () => {
    smtp = await startSmtp()
  })
  after(() => smtp.close())
  const world = useWorld(() => ({
    workers: ['upkeep'],
    environment: createMailSettings(smtp),
    onLog: (line) => void lines.push(line),
  }))

  const count = (text: string) => lines.filter((line) => line.includes(text)).length
  const queue = async (): Promise<MailedPerson[]> => {
    const people: MailedPerson[] = []
    while (people.length < MAIL_COUNT) people.push(await createPerson(world))
    await world.database('mails').insert(people.map(({ user_id }) => ({ kind: 'sign-in', user_id })))
    return people
  }
  const isSent = (people: MailedPerson[]) =>
    eventually(() => expect(people.filter(({ email }) => smtp.sentTo(email).length !== 1)).to.deep.equal([]))

  it('is logged once, and all waiting mails are sent when it ends', async () => {
    const { port } = smtp
    await smtp.close()
    const people = await queue()
    const ids = people.map(({ user_id }) => user_id)
    const failed = () => world.database('mails').whereIn('user_id', ids).whereNotNull('error')
    await eventually(async () => expect(await failed()).to.have.length.greaterThan(1))
    const tries = await world.database('mails').whereIn('user_id', ids).pluck('tries')
    expect(new Set(tries), 'the server has refused none of them').to.deep.equal(new Set([0]))
    smtp = await startSmtp({ port })
    await isSent(people)
    expect([count(OUTAGE_MESSAGE), count(RECOVERY_MESSAGE), count('a mail could not be sent')]).to.deep.equal(
      [1, 1, 0],
    )
    // A new mail is sent without delay.
    await isSent(await queue())
  })

  it('is not assumed if a single mail breaks the connection, which is retried later', async () => {
    const broken = await createPerson(world)
    const find = () => world.database('mails').where({ user_id: broken.user_id }).first()
    smtp.refuse = (address) => (address === broken.email ? 421 : undefined)
    await world.database('mails').insert({ kind: 'sign-in', user_id: broken.user_id })
    await eventually(async () => expect((await find()).error).to.be.a('string'))
    await isSent(await queue())
    await eventually(async () => expect((await find()).tries).to.be.greaterThan(0))
    expect(smtp.sentTo(broken.email)).to.deep.equal([])
    smtp.refuse = undefined
  })
})

describe('a mail that a worker of an earlier release takes', () => {
  let smtp: TestSmtp
  before(async () => {
    smtp = await startSmtp()
  })
  after(() => smtp.close())
  const world = useWorld(() => ({ workers: [], environment: createMailSettings(smtp) }))

  it('is sent immediately by a worker of the new release, and does not count as refused', async () => {
    const person = await createPerson(world)
    const { user_id, bookable_id } = person
    const during = world.database.raw("tstzrange(now() + interval '2 hours', now() + interval '3 hours')")
    const booking = { user_id, bookable_id, exclusive: true, during }
    const [{ id }] = await world.database('bookings').insert(booking).returning('id')
    // A worker of an earlier release claims a mail of an unknown kind for two minutes each time.
    await world.database('mails').insert({
      kind: 'confirmation',
      user_id,
      booking_ids: [id],
      attempts: 8,
      next_at: world.database.raw("now() + interval '110 seconds'"),
    })
    const worker = await world.startWorkers(['upkeep'])
    await eventually(() => expect(smtp.sentTo(person.email)).to.have.length(1))
    await worker.stop()
    expect((await world.database('mails').where({ user_id }).first()).tries).to.equal(0)
  })
})
